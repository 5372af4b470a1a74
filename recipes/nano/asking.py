"""How questions about facts are worded, in four languages. `{f}` is a field, `{v}` a value, `{e}` a record's kind.

`{F}` starts with a capital, `{af}` has its article, `{i}` names a record.
"""

from __future__ import annotations

LOOKUP = (
    "What is the {f}?", "Which {f} is given?", "What is the {f} of the {e}?", "Give the {f}.", "Name the {f}.",
    "What is the {e}'s {f}?", "{F}?", "What {f} does it have?", "Which {f} does the {e} have?", "Find the {f}.",
    "What is listed as the {f}?", "Select the {f}.", "Which of these is the {f}?", "Look up the {f}.",
    "What does it say under {f}?", "Tell me the {f}.", "What {f} is it?", "Read the {f}.",
)  # fmt: skip
EQUALITY = (
    "Is the {f} {v}?", "Is {v} the {f}?", "The {f} is {v}.", "Is the {e}'s {f} {v}?", "Is the {f} of the {e} {v}?",
    "Does the {e} have the {f} {v}?", "Is the {f} set to {v}?", "Is {v} given as the {f}?", "{F}: {v}?",
    "Is it true that the {f} is {v}?", "Is {v} listed as {f}?", "Does the {f} say {v}?", "Does it have the {f} {v}?",
    "Does the {f} equal {v}?", "Is the {f} really {v}?", "Check if the {f} is {v}.",
)  # fmt: skip
PRESENT = (
    "Is {af} given?", "Is there {af}?", "Does it have {af}?", "Does the {e} have {af}?", "Is the {f} known?",
    "Has {af} been entered?", "Is the {f} filled in?", "Do we know the {f}?", "Is any {f} stated?", "Is {af} listed?",
    "Is the {f} set?", "Does it say {af}?",
)  # fmt: skip
STATE = (
    "Is the {e} {v}?", "Is it {v}?", "Is this {e} {v}?", "The {e} is {v}.", "Is the {e} {v} now?", "Is it {v} now?",
    "Is it true that the {e} is {v}?", "Would you say it is {v}?", "Is it {v} already?", "Does it say it is {v}?",
    "It is {v}.", "Is our {e} {v}?",
)  # fmt: skip
HAVING = (
    "Does the {e} have {a}?", "Is there {a}?", "Does it have {a}?", "Does it come with {a}?", "Is {a} included?",
    "The {e} has {a}.", "Has it got {a}?", "Does this {e} have {a}?",
)  # fmt: skip
SAME = (
    "Are the {f} and the {g} the same?", "Is the {f} the same as the {g}?", "Do the {f} and the {g} match?",
    "Is the {f} identical to the {g}?", "Does the {f} equal the {g}?", "Are {f} and {g} equal?",
    "{F} and {g} are the same.", "Are {f} and {g} identical?",
)  # fmt: skip
MEMBER = (
    "Is {v} one of the {l}?", "Is {v} among the {l}?", "Do the {l} include {v}?", "Do the {l} contain {v}?",
    "Is {v} in the {l}?", "Is {v} listed under {l}?", "Does it have the {o} {v}?", "Is {v} {ao}?",
    "Does {v} appear in the {l}?", "{v} is one of the {l}.", "Is there the {o} {v}?", "Can {v} be found in the {l}?",
)  # fmt: skip
RECORD_LOOKUP = (
    "What is {i}'s {f}?", "What is the {f} of {i}?", "Which {f} does {i} have?", "{F} of {i}?", "Give {i}'s {f}.",
    "Look up the {f} of {i}.", "What {f} does {i} have?", "Name the {f} of {i}.", "Find {i}'s {f}.",
    "What {f} is listed for {i}?",
)  # fmt: skip
RECORD_EQUALITY = (
    "Is {i}'s {f} {v}?", "Is the {f} of {i} {v}?", "Does {i} have the {f} {v}?", "Is {v} the {f} of {i}?",
    "Has {i} the {f} {v}?", "Is {v} {i}'s {f}?", "{i}'s {f} is {v}.", "Is it true that {i} has the {f} {v}?",
    "Is {v} listed as {f} for {i}?", "Does {i} show {v} as {f}?",
)  # fmt: skip
WHICH_RECORD = (
    "Which one has the {f} {v}?", "Who or what has the {f} {v}?", "Whose {f} is {v}?",
    "Find the one with the {f} {v}.", "Which has {v} as {f}?", "Name the one with the {f} {v}.",
    "Which one's {f} is {v}?", "Which entry has the {f} {v}?",
)  # fmt: skip
SENTENCES = (
    "The {f} is {v}.", "{F}: {v}.", "Its {f} is {v}.", "The {f} of the {e} is {v}.", "The {e}'s {f} is {v}.",
    "{F} is {v}.", "It has the {f} {v}.", "As {f} we have {v}.", "We have the {f} {v}.", "Under {f} it says {v}.",
    "Here the {f} is {v}.", "The {e} has the {f} {v}.",
)  # fmt: skip

# A field with its article and its kind or its values; then wordings. `{f}` comes with its article, `{n}` without.
GERMAN = {
    "fields": """der Besitzer=person;die Leiterin=person;der Fahrer=person;der Kunde=person;der Absender=person;
    der Empfänger=person;der Mieter=person;die Ärztin=person;der Prüfer=person;die Stadt=city;der Zielort=city;
    der Standort=city;die Firma=firm;der Lieferant=firm;der Hersteller=firm;die Bank=firm;die Rechnungsnummer=code;
    die Kundennummer=code;das Kennzeichen=code;die Menge=count;das Alter=count;das Stockwerk=count;
    der Status=offen geschlossen bezahlt unbezahlt storniert geliefert versandt gesperrt aktiv neu erledigt bestätigt;
    die Farbe=rot blau grün gelb schwarz weiß grau braun rosa;
    der Tag=Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag;
    die Priorität=hoch mittel niedrig dringend normal;
    die Abteilung=Vertrieb Einkauf Technik Buchhaltung Versand Personal Lager Recht;
    die Zahlungsart=Rechnung Lastschrift Kreditkarte Vorkasse Bar Überweisung;
    der Artikel=Lampe Stuhl Tisch Drucker Fahrrad Zelt Koffer Uhr Teppich Regal Jacke""",
    "lookup": (
        "Was ist {f}?", "Wie lautet {f}?", "Was steht bei {n}?", "Nenne {n}.", "{n}?", "Was ist als {n} angegeben?",
        "Was gilt für {n}?", "Welche Angabe steht bei {n}?",
    ),
    "equality": (
        "Ist {f} {v}?", "Ist {v} als {n} angegeben?", "Lautet {f} {v}?", "Steht bei {n} {v}?", "{n}: {v}?",
        "Ist {v} {f}?", "Stimmt es: {n} {v}?", "Hat {n} den Wert {v}?",
    ),
    "present": (
        "Ist {f} angegeben?", "Ist {f} bekannt?", "Gibt es eine Angabe zu {n}?", "Steht etwas bei {n}?",
        "Wurde {f} eingetragen?", "Ist {f} vorhanden?",
    ),
    "flags": "bezahlt offen aktiv gesperrt fertig dringend neu verfügbar versichert geprüft öffentlich leer voll",
    "state": ("Ist es {v}?", "Es ist {v}.", "Ist das schon {v}?", "Ist es jetzt {v}?", "Gilt es als {v}?"),
}  # fmt: skip
SPANISH = {
    "fields": """el propietario=person;el cliente=person;la directora=person;el conductor=person;el remitente=person;
    el destinatario=person;la médica=person;el vendedor=person;la ciudad=city;el destino=city;el origen=city;
    la sede=city;la empresa=firm;el proveedor=firm;el fabricante=firm;el banco=firm;la matrícula=code;
    la referencia=code;la cantidad=count;la edad=count;el piso=count;
    el estado=abierto cerrado pagado pendiente cancelado entregado enviado bloqueado activo nuevo aprobado;
    el color=rojo azul verde amarillo negro blanco gris rosa marrón;
    el día=lunes martes miércoles jueves viernes sábado domingo;
    la prioridad=alta media baja urgente normal;
    el departamento=ventas compras soporte finanzas almacén calidad legal;
    el artículo=lámpara silla mesa impresora bicicleta tienda maleta reloj alfombra chaqueta""",
    "lookup": (
        "¿Cuál es {f}?", "¿Qué valor tiene {f}?", "Indica {f}.", "¿{n}?", "¿Qué figura como {n}?", "Busca {f}.",
        "¿Qué aparece en {n}?",
    ),
    "equality": (
        "¿Es {v} {f}?", "¿Figura {v} como {n}?", "¿{n}: {v}?", "¿Es {f} {v}?", "¿Aparece {v} como {n}?",
        "{f} es {v}.", "¿Coincide {f} con {v}?",
    ),
    "present": ("¿Se indica {f}?", "¿Se conoce {f}?", "¿Consta {f}?", "¿Hay datos de {n}?", "¿Aparece {f}?"),
    "flags": "pagado abierto activo bloqueado terminado urgente nuevo disponible asegurado público vacío lleno",
    "state": ("¿Está {v}?", "Está {v}.", "¿Ya está {v}?", "¿Consta como {v}?", "¿Figura como {v}?"),
}  # fmt: skip
FRENCH = {
    "fields": """le propriétaire=person;le client=person;la directrice=person;le chauffeur=person;
    le destinataire=person;le vendeur=person;le locataire=person;le médecin=person;la ville=city;la destination=city;
    le lieu=city;le siège=city;la société=firm;le fournisseur=firm;le fabricant=firm;la banque=firm;la référence=code;
    la plaque=code;la quantité=count;le prix=count;
    le statut=ouvert fermé payé impayé annulé livré expédié bloqué actif nouveau approuvé refusé;
    la couleur=rouge bleu vert jaune noir blanc gris rose marron;
    le jour=lundi mardi mercredi jeudi vendredi samedi dimanche;
    la priorité=haute moyenne basse urgente normale;
    le service=ventes achats support comptabilité entrepôt qualité juridique;
    le produit=lampe chaise table imprimante vélo tente valise montre tapis veste""",
    "lookup": (
        "Quel est {f} ?", "Indiquez {f}.", "{n} ?", "Qu'est-ce qui est indiqué comme {n} ?", "Cherchez {f}.",
        "Que lit-on sous {n} ?", "Que dit-on sur {f} ?",
    ),
    "equality": (
        "Est-ce que {f} est {v} ?", "{n} : {v} ?", "Est-ce que {v} est {f} ?", "Trouve-t-on {v} sous {n} ?",
        "{f} est {v}.", "Lit-on {v} comme {n} ?",
    ),
    "present": (
        "Est-ce que {f} est indiqué ?", "Connaît-on {f} ?", "Y a-t-il une valeur pour {n} ?", "Donne-t-on {f} ?",
    ),
    "flags": "payé ouvert actif bloqué terminé urgent nouveau disponible assuré vérifié public vide plein",
    "state": ("Est-ce {v} ?", "C'est {v}.", "Est-ce que c'est {v} ?", "Est-ce déjà {v} ?"),
}  # fmt: skip
FOREIGN = {"de": GERMAN, "es": SPANISH, "fr": FRENCH}
