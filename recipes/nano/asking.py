"""How questions about facts are worded, in four languages. `{f}` is a field, `{v}` a value, `{e}` a record's kind.

`{F}` starts with a capital, `{k}` is the field's key as the state writes it, `{af}` has its article.
"""

from __future__ import annotations

LOOKUP = (
    "What is the {f}?",
    "Which {f} is given?",
    "What is the {f} of the {e}?",
    "Give the {f}.",
    "Name the {f} of this {e}.",
    "Look up the {f}.",
    "{F}?",
    "Which value does {k} have?",
    "Read the {f} from the record.",
    "What does the record say about the {f}?",
    "Select the {f}.",
    "What {f} does the {e} have?",
    "Find the {f}.",
    "According to the state, what is the {f}?",
    "Which {f} is stated?",
    "Pick the value of {k}.",
    "Tell me the {f}.",
    "Which of these is the {f}?",
    "What is listed as the {f}?",
    "Which {f} was recorded?",
    "Identify the {f}.",
    "What is the {e}'s {f}?",
    "What {f} is it?",
    "Choose the {f} of the {e}.",
    "{F} of the {e}:",
    "What has been entered as {f}?",
    "Which {f} belongs to this {e}?",
    "The {f} is ...",
)
WHO = (
    "Who is the {f}?",
    "Who is listed as {f}?",
    "Who acts as {f}?",
    "Which person is the {f}?",
    "What is the name of the {f}?",
    "Who is the {e}'s {f}?",
    "Who is named as the {f}?",
    "Who was entered as {f}?",
)
WHERE = ("Where is the {f}?", "Which place is the {f}?", "Which city is the {f} in?", "What place is given as {f}?")
WHEN = ("When is the {f}?", "On which day is the {f}?", "What day is the {f}?", "For when is the {f} set?")
EQUALITY = (
    "Is the {f} {v}?",
    "Is {v} the {f}?",
    "Does the {e} have {v} as its {f}?",
    "Does {k} equal {v}?",
    "The {f} is {v}.",
    "Is it true that the {f} is {v}?",
    "Is the {f} set to {v}?",
    "Is {v} listed as the {f}?",
    "{F}: {v}?",
    "Does the record show {v} as {f}?",
    "Check whether the {f} is {v}.",
    "Is the {f} of this {e} {v}?",
    "Is the {e}'s {f} {v}?",
    "Does the {f} match {v}?",
    "True or false: the {f} is {v}.",
    "Can you confirm that the {f} is {v}?",
    "Is {v} given as {f}?",
    "Is the {f} of the {e} {v}?",
    "Has {v} been entered as {f}?",
    'Is the {f} "{v}"?',
    "Does it say that the {f} is {v}?",
    "Is this {e}'s {f} really {v}?",
    "Would you say the {f} is {v}?",
    "{k} = {v}?",
)
DIFFERENCE = (
    "Is the {f} something other than {v}?",
    "Is the {f} different from {v}?",
    "Is it wrong that the {f} is {v}?",
    "The {f} is not {v}.",
    "Does the {f} differ from {v}?",
    "Is the {f} anything but {v}?",
)
PRESENT = (
    "Is {af} given?",
    "Does the record have {af}?",
    "Is there {af}?",
    "Has {af} been provided?",
    "Is the {f} present?",
    "Is the {f} known?",
    "Does the {e} have {af}?",
    "Is the {f} filled in?",
    "Was {af} entered?",
    "Is any {f} stated?",
    "Is {af} on file?",
    "Do we know the {f}?",
    "Does {k} have a value?",
    "Can the {f} be read from the record?",
    "Has the {f} been recorded?",
    "The {f} is known.",
)
ABSENT = (
    "Is the {f} missing?",
    "Does the {e} lack {af}?",
    "Is no {f} given?",
    "Is the {f} unknown?",
    "Is {af} missing from the record?",
    "Do we still need the {f}?",
    "Is the record without {af}?",
    "Must the {f} still be asked for?",
)
MEMBER = (
    "Is {v} among the {l}?",
    "Do the {l} include {v}?",
    "Is {v} one of the {l}?",
    "Does the list of {l} contain {v}?",
    "Is {v} in {k}?",
    "Is {v} listed as {ao}?",
    "Are the {l} containing {v}?",
    "Can {v} be found in the {l}?",
    "Does {k} hold {v}?",
    "Do we find {v} under {l}?",
    "{v} is one of the {l}.",
    "Does {v} appear in the {l}?",
    "Is {v} on the list of {l}?",
    "Check if the {l} include {v}.",
)
WHICH_MEMBER = (
    "Which of these is among the {l}?",
    "Which one is in {k}?",
    "Which {o} is listed?",
    "Which of the options is {ao}?",
    "Pick the one that appears in the {l}.",
    "Which {o} does the {e} have?",
)
WHICH_NO_MEMBER = (
    "Which of these is not among the {l}?",
    "Which one is missing from the {l}?",
    "Which of the options is not listed under {l}?",
    "Pick the one that is not in {k}.",
    "Which does not appear in the {l}?",
)
FLAG = (
    "Is the {e} {a}?",
    "Is it {a}?",
    "Is this {e} {a}?",
    "Is the {e} marked as {a}?",
    "The {e} is {a}.",
    "Is {k} true?",
    "Does the record say the {e} is {a}?",
    "Is it true that the {e} is {a}?",
    "Would you call the {e} {a}?",
    "Is {a} set?",
    "Are we dealing with {aa} {e}?",
    "Has the {e} been marked {a}?",
)
NO_FLAG = (
    "Is the {e} not {a}?",
    "The {e} is not {a}.",
    "Is it correct that the {e} is not {a}?",
    "Is {k} false?",
    "Is {a} unset?",
)
HAVING = (
    "Does the {e} have {a}?",
    "Is there {a}?",
    "Does the {e} come with {a}?",
    "Has the {e} got {a}?",
    "Is {a} included?",
    "The {e} has {a}.",
    "Is {a} there?",
)
SAME = (
    "Are the {f} and the {g} the same?",
    "Is the {f} the same as the {g}?",
    "Do the {f} and the {g} match?",
    "Is the {f} identical to the {g}?",
    "Does the {f} equal the {g}?",
    "Do {k} and {h} hold the same value?",
    "{F} and {g} are the same.",
    "Are {f} and {g} equal?",
)
DIFFERENT = (
    "Do the {f} and the {g} differ?",
    "Is the {f} different from the {g}?",
    "Are the {f} and the {g} different?",
    "{F} and {g} are not the same.",
    "Do {k} and {h} hold different values?",
    "Is the {f} another than the {g}?",
)
WHICH_FIELD = (
    "Which field holds {v}?",
    "What is {v} in this record?",
    "Where does {v} appear?",
    "{v} is given as which field?",
    "Under which name is {v} listed?",
    "Which entry has the value {v}?",
)
WHICH_RECORD = (
    "Which {e} has the {f} {v}?",
    "Which {e} has {v} as its {f}?",
    "Find the {e} whose {f} is {v}.",
    "For which {e} is the {f} {v}?",
    "{F} {v}: which {e}?",
    "Which one has {v} as {f}?",
    "Pick the {e} with the {f} {v}.",
    "Which {e} shows {v} under {f}?",
    "The {f} is {v} for which {e}?",
    "Name the {e} with {v} as {f}.",
)
RECORD_LOOKUP = (
    "What is the {f} of {e} {i}?",
    "Which {f} does {i} have?",
    "What is {i}'s {f}?",
    "{F} of {i}?",
    "Look up the {f} for {i}.",
    "For {e} {i}, what is the {f}?",
    "What {f} is listed for {i}?",
    "Give the {f} of {i}.",
    "Which {f} belongs to {e} {i}?",
    "{i}: what is its {f}?",
)
RECORD_EQUALITY = (
    "Is the {f} of {e} {i} {v}?",
    "Does {i} have the {f} {v}?",
    "Is {v} the {f} of {i}?",
    "Is {i}'s {f} {v}?",
    "For {e} {i}, is the {f} {v}?",
    "Is {v} listed as {f} for {i}?",
    "{i} has the {f} {v}.",
    "Does {e} {i} show {v} as its {f}?",
    "Has {i} {v} as {f}?",
    "Check whether {i} has {v} as {f}.",
)
ANY_RECORD = (
    "Does any {e} have the {f} {v}?",
    "Is there {ae} with {v} as {f}?",
    "Is {v} the {f} of at least one {e}?",
    "Does {v} occur as {f}?",
    "Is some {e}'s {f} {v}?",
    "Do we have {ae} whose {f} is {v}?",
)
HAS_RECORD = (
    "Is {e} {i} in the list?",
    "Is there {ae} {i}?",
    "Does the list contain {i}?",
    "Is {i} listed?",
    "Does {i} appear here?",
    "Do we have {ae} with the id {i}?",
)
# One record told in a sentence: {i} its number, {p} its owner, {h} somebody else, {w} its state.
TOLD = (
    "The {e} {i} belongs to {p} and is {w}. {h} wrote this note.",
    "{E} {i} of {p} is {w}, says {h}.",
    "{p}'s {e} ({i}) is {w}. Noted by {h}.",
    "According to {h}, {e} {i}, owned by {p}, is {w}.",
    "Hello {h}, the {e} {i} is {w}. It belongs to {p}.",
    "{h} checked it: {e} {i} is {w}; the owner is {p}.",
    "Owner of {e} {i} is {p}. Current state: {w}. Best, {h}",
    "We looked at {e} {i} for {h}. It is {w} and {p} owns it.",
    "{E} {i} is {w}. {p} is the owner and {h} was informed.",
    "It is {w}: {e} {i}, which belongs to {p}. {h} asked about it.",
    "{h} asks about {e} {i}. It is {w}, the owner being {p}.",
    "Note for {h}: the {e} of {p}, number {i}, is {w} now.",
)
SAID_STATE = (
    "Is the {e} {v}?", "Is it {v}?", "Does the note say that it is {v}?", "The {e} is {v}.",
    "Is the {e} said to be {v}?",
    "Is {v} the state of the {e}?", "Is it true that the {e} is {v}?", "Is the {e} currently {v}?",
)  # fmt: skip
WHOSE = (
    "Who is the owner?", "Whose {e} is it?", "Who does the {e} belong to?", "Who owns the {e}?", "Name the owner.",
    "To whom does it belong?", "Which person owns the {e}?", "Owner of the {e}?",
)  # fmt: skip
IS_WHOSE = (
    "Is {v} the owner?", "Does the {e} belong to {v}?", "Does {v} own the {e}?", "Is it {v}'s {e}?",
    "Is the owner called {v}?", "{v} owns it.", "Is {v} named as the owner?", "Would {v} be the owner?",
)  # fmt: skip
WHICH_NUMBER = (
    "Which {e} is it?", "What is the number of the {e}?", "What number does it have?", "Which {e} is meant?",
    "Give the number of the {e}.", "What is the {e}'s id?", "The {e}'s number?",
)  # fmt: skip
YES_NO = (
    ("The record says so.", "The record says otherwise."),
    ("Yes", "No"),
    ("It matches.", "It does not match."),
    ("yes, this is so", "no, this is not so"),
    ("This is correct.", "This is wrong."),
    ("holds", "does not hold"),
)

# Field with its article -> kind; then wordings. `{f}` comes with its article, `{n}` without.
GERMAN = {
    "fields": (
        ("der Besitzer", "person"), ("die Ansprechpartnerin", "person"), ("der Fahrer", "person"),
        ("der Kunde", "person"), ("die Leiterin", "person"), ("der Absender", "person"), ("der Empfänger", "person"),
        ("der Mieter", "person"), ("die Ärztin", "person"), ("der Prüfer", "person"), ("die Stadt", "city"),
        ("der Zielort", "city"), ("der Standort", "city"), ("der Lieferort", "city"), ("die Firma", "firm"),
        ("der Lieferant", "firm"), ("der Hersteller", "firm"), ("die Bank", "firm"), ("die Rechnungsnummer", "code"),
        ("die Kundennummer", "code"), ("die Bestellnummer", "code"), ("das Kennzeichen", "code"), ("das Datum", "date"),
        ("der Liefertermin", "date"), ("die Frist", "date"), ("das Geburtsdatum", "date"), ("der Betrag", "amount"),
        ("der Preis", "amount"), ("die Gebühr", "amount"), ("die Miete", "amount"), ("die Menge", "count"),
        ("das Alter", "count"), ("das Stockwerk", "count"), ("die Uhrzeit", "clock"), ("der Beginn", "clock"),
    ),
    "values": {
        "der Status": "offen geschlossen bezahlt unbezahlt storniert geliefert versandt gesperrt aktiv neu erledigt "
        "bestätigt abgelehnt genehmigt verspätet reserviert",
        "die Farbe": "rot blau grün gelb schwarz weiß grau braun rosa orange",
        "der Wochentag": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "die Priorität": "hoch mittel niedrig dringend normal kritisch",
        "die Abteilung": "Vertrieb Einkauf Technik Buchhaltung Versand Personal Lager Kundendienst Recht",
        "die Zahlungsart": "Rechnung Lastschrift Kreditkarte Vorkasse Bar Überweisung",
        "der Artikel": "Lampe Stuhl Tisch Drucker Fahrrad Zelt Koffer Uhr Teppich Regal Kessel Jacke",
    },
    "lookup": (
        "Was ist {f}?", "Wie lautet {f}?", "Was steht bei {n}?", "Welcher Wert steht unter {n}?", "{n}?",
        "Nenne {n}.", "Was ist als {n} angegeben?", "Was wurde bei {n} eingetragen?", "Was gilt für {n}?",
        "Welche Angabe steht bei {n}?",
    ),
    "who": ("Wer ist {f}?", "Wer ist als {n} eingetragen?", "Wie heißt {f}?", "Welche Person ist {f}?"),
    "equality": (
        "Ist {f} {v}?", "Ist {v} als {n} angegeben?", "Lautet {f} {v}?", "Steht bei {n} {v}?", "Stimmt es: {n} {v}?",
        "Ist es richtig, dass {f} {v} ist?", "{n}: {v}?", "Wurde {v} als {n} eingetragen?", "{v} ist {f}.",
        "Hat {n} den Wert {v}?",
    ),
    "present": (
        "Ist {f} angegeben?", "Ist {f} bekannt?", "Gibt es eine Angabe zu {n}?", "Steht etwas bei {n}?",
        "Wurde {f} eingetragen?", "Ist {f} vorhanden?",
    ),
    "absent": ("Fehlt {f}?", "Ist {f} unbekannt?", "Fehlt die Angabe zu {n}?", "Ist {n} leer?"),
}  # fmt: skip
SPANISH = {
    "fields": (
        ("el propietario", "person"), ("el cliente", "person"), ("la directora", "person"), ("el conductor", "person"),
        ("el remitente", "person"), ("el destinatario", "person"), ("la médica", "person"), ("el vendedor", "person"),
        ("la ciudad", "city"), ("el destino", "city"), ("el origen", "city"), ("la sede", "city"),
        ("la empresa", "firm"), ("el proveedor", "firm"), ("el fabricante", "firm"), ("el banco", "firm"),
        ("el número de pedido", "code"), ("la matrícula", "code"), ("la referencia", "code"),
        ("el número de factura", "code"), ("la fecha", "date"), ("la fecha de entrega", "date"), ("el plazo", "date"),
        ("el precio", "amount"), ("el importe", "amount"), ("el alquiler", "amount"), ("la cantidad", "count"),
        ("la edad", "count"), ("el piso", "count"), ("la hora", "clock"),
    ),
    "values": {
        "el estado": "abierto cerrado pagado pendiente cancelado entregado enviado bloqueado activo nuevo aprobado "
        "rechazado confirmado",
        "el color": "rojo azul verde amarillo negro blanco gris rosa marrón",
        "el día": "lunes martes miércoles jueves viernes sábado domingo",
        "la prioridad": "alta media baja urgente normal crítica",
        "el departamento": "ventas compras soporte finanzas almacén calidad legal marketing",
        "el artículo": "lámpara silla mesa impresora bicicleta tienda maleta reloj alfombra chaqueta",
    },
    "lookup": (
        "¿Cuál es {f}?", "¿Qué valor tiene {f}?", "¿Qué dice el registro sobre {f}?", "Indica {f}.", "¿{n}?",
        "¿Qué figura como {n}?", "Busca {f}.", "¿Qué aparece en {n}?",
    ),
    "who": ("¿Quién es {f}?", "¿Quién figura como {n}?", "¿Cómo se llama {f}?", "¿Qué persona es {f}?"),
    "equality": (
        "¿Es {v} {f}?", "¿Figura {v} como {n}?", "¿{n}: {v}?", "¿Es cierto que {f} es {v}?", "¿Coincide {f} con {v}?",
        "¿Aparece {v} como {n}?", "¿Es {f} {v}?", "{f} es {v}.",
    ),
    "present": ("¿Se indica {f}?", "¿Se conoce {f}?", "¿Consta {f}?", "¿Está {f} en el registro?",
        "¿Hay datos de {n}?"),
    "absent": ("¿Falta {f}?", "¿Se desconoce {f}?", "¿Está vacío {n}?", "¿No consta {f}?"),
}  # fmt: skip
FRENCH = {
    "fields": (
        ("le propriétaire", "person"), ("le client", "person"), ("la directrice", "person"), ("le chauffeur", "person"),
        ("le destinataire", "person"), ("le vendeur", "person"), ("le locataire", "person"), ("le médecin", "person"),
        ("la ville", "city"), ("la destination", "city"), ("le lieu", "city"), ("le siège", "city"),
        ("la société", "firm"), ("le fournisseur", "firm"), ("le fabricant", "firm"), ("la banque", "firm"),
        ("le numéro de commande", "code"), ("la référence", "code"), ("le numéro de facture", "code"),
        ("la plaque", "code"), ("la date", "date"), ("la date de livraison", "date"), ("le délai", "date"),
        ("le prix", "amount"), ("le montant", "amount"), ("le loyer", "amount"), ("la quantité", "count"),
        ("le nombre de places", "count"), ("le numéro de page", "count"), ("le créneau", "clock"),
    ),
    "values": {
        "le statut": "ouvert fermé payé impayé annulé livré expédié bloqué actif nouveau approuvé refusé confirmé",
        "la couleur": "rouge bleu vert jaune noir blanc gris rose marron",
        "le jour": "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "la priorité": "haute moyenne basse urgente normale critique",
        "le service": "ventes achats support comptabilité entrepôt qualité juridique marketing",
        "le produit": "lampe chaise table imprimante vélo tente valise montre tapis veste",
    },
    "lookup": (
        "Quelle est la valeur de « {n} » ?", "Que dit le dossier sur {f} ?", "Indiquez {f}.", "{n} ?",
        "Qu'est-ce qui est indiqué comme {n} ?", "Cherchez {f}.", "Que lit-on sous {n} ?", "Quel est, ici, {f} ?",
    ),
    "who": ("Qui est {f} ?", "Qui est indiqué comme {n} ?", "Comment s'appelle {f} ?", "Quelle personne est {f} ?"),
    "equality": (
        "Est-ce que {f} est {v} ?", "{v} est-il indiqué comme {n} ?", "{n} : {v} ?", "Est-il vrai que {f} est {v} ?",
        "Est-ce que {v} est {f} ?", "Trouve-t-on {v} sous {n} ?", "{f} est {v}.", "Le champ {n} vaut-il {v} ?",
    ),
    "present": (
        "Est-ce que {f} est indiqué ?", "Connaît-on {f} ?", "Y a-t-il une valeur pour {n} ?", "{f} figure au dossier ?",
        "Le champ {n} est-il rempli ?",
    ),
    "absent": ("Est-ce que {f} manque ?", "Le champ {n} est-il vide ?", "Ignore-t-on {f} ?", "Manque-t-il {f} ?"),
}  # fmt: skip
FOREIGN = {"de": GERMAN, "es": SPANISH, "fr": FRENCH}
