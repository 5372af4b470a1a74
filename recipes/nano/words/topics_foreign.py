"""Sentences that tell the topics of German, Spanish and French messages apart, shared by all splits."""

from recipes.nano.wording import words

GERMAN = {
    "billing": """die Rechnung ist falsch; mir wurde doppelt abgebucht; ich brauche eine Kopie der Rechnung; meine Kreditkarte wurde abgelehnt;
    ich habe die Rechnung schon bezahlt; der Betrag auf der Rechnung stimmt nicht; ich bekam eine Mahnung trotz Zahlung; die Zahlung ist fehlgeschlagen""",
    "technical": """die App stürzt ab; ich bekomme eine Fehlermeldung; die Software startet nicht; die Webseite lädt nicht; das Update hat einen Fehler;
    die Installation bricht ab; der Server meldet einen Fehler; die Synchronisierung der App geht nicht""",
    "shipping": """mein Paket ist nicht angekommen; wo ist meine Bestellung; die Lieferung ist verspätet; die Sendung ging verloren;
    wann kommt das Paket; der Kurier war nicht da; die Sendungsverfolgung zeigt nichts; die Lieferadresse ist falsch""",
    "account": """ich kann mich nicht anmelden; ich habe mein Passwort vergessen; mein Konto ist gesperrt; das Passwort wird nicht akzeptiert;
    bitte das Passwort zurücksetzen; der Login geht nicht; ich komme nicht in mein Konto; mein Benutzername ist unbekannt""",
    "sales": """bitte schicken Sie mir ein Angebot; was kostet der große Tarif; wir möchten {n} Lizenzen kaufen; gibt es Mengenrabatt;
    wir hätten gern eine Vorführung; bitte senden Sie die Preisliste; wir interessieren uns für Ihr Produkt; wir bitten um ein Angebot""",
    "legal": """bitte löschen Sie meine Daten; unser Anwalt prüft den Vertrag; Sie verletzen den Datenschutz; welche Daten speichern Sie über mich;
    ich widerrufe meine Einwilligung; bitte unterschreiben Sie den Vertrag; das verstößt gegen das Gesetz; der Datenschutz ist unklar""",
    "hr": """ich möchte Urlaub nehmen; mein Gehalt fehlt; ich bin krank und kann nicht arbeiten; hier ist meine Bewerbung;
    die Gehaltsabrechnung ist falsch; ich möchte Elternzeit nehmen; wie viele Urlaubstage habe ich; ich bewerbe mich auf die Stelle""",
    "returns": """die Ware ist beschädigt; ich möchte den Artikel zurückschicken; das Gerät ist kaputt; ich habe den falschen Artikel bekommen;
    ich möchte umtauschen; die Größe passt nicht; bitte ein Rücksendeetikett; ist noch Garantie auf dem Gerät""",
    "spam": """Sie haben {amount} gewonnen; klicken Sie hier für Ihren Gewinn; verdienen Sie schnell Geld von zu Hause; gratis Bonus im Casino;
    reich werden mit Bitcoin; billige Pillen ohne Rezept; jetzt Gewinn sichern; Sie sind der glückliche Gewinner""",
    "feedback": """ich habe einen Vorschlag; eine Idee für die nächste Version; es wäre schön, wenn es einen dunklen Modus gäbe; weiter so;
    mir gefällt das neue Design; ein Lob an Ihr Team; ich schlage eine neue Funktion vor; eine kleine Anregung""",
    "security": """mein Konto wurde gehackt; ich bekam eine Phishing-Mail; auf dem Rechner ist ein Virus; unsere Daten wurden gestohlen;
    ich habe eine Sicherheitslücke gefunden; mein Laptop wurde gestohlen; eine verdächtige Anmeldung aus dem Ausland; Hacker greifen den Server an""",
    "cancellation": """ich kündige mein Abo; bitte kündigen Sie meinen Vertrag; ich möchte das Abo beenden; bitte bestätigen Sie die Kündigung;
    ich möchte nicht verlängern; hiermit kündige ich; wie lange ist die Kündigungsfrist; ich brauche das Abo nicht mehr""",
    "scheduling": """ich möchte einen Termin vereinbaren; ich muss den Termin verschieben; ich möchte einen Tisch reservieren; haben Sie am Montag einen Termin frei;
    bitte bestätigen Sie die Reservierung; können wir das Treffen verlegen; mein Termin wurde vergessen; ich möchte ein Zimmer buchen""",
}
SPANISH = {
    "billing": """la factura es incorrecta; me cobraron dos veces; necesito una copia de la factura; mi tarjeta fue rechazada;
    ya pagué la factura; el importe de la factura está mal; recibí un aviso de pago; el pago ha fallado""",
    "technical": """la aplicación se cierra sola; recibo un mensaje de error; el programa no arranca; la página web no carga; la actualización tiene un fallo;
    la instalación se detiene; el servidor da un error; la aplicación no sincroniza""",
    "shipping": """mi paquete no ha llegado; dónde está mi pedido; el envío está retrasado; el paquete se perdió;
    cuándo llega el paquete; el repartidor no vino; el seguimiento del envío no cambia; la dirección de entrega está mal""",
    "account": """no puedo iniciar sesión; olvidé mi contraseña; mi cuenta está bloqueada; no aceptan mi contraseña;
    quiero restablecer la contraseña; no puedo entrar en mi cuenta; mi usuario no existe; el código de acceso no llega""",
    "sales": """quisiera un presupuesto; cuánto cuesta el plan grande; queremos comprar {n} licencias; hay descuento por volumen;
    nos gustaría una demostración; envíen la lista de precios; nos interesa su producto; necesitamos una oferta""",
    "legal": """borren mis datos personales; nuestro abogado revisa el contrato; esto viola la privacidad; qué datos personales guardan;
    retiro mi consentimiento; firmen el contrato; esto es contra la ley; pregunto por la protección de datos""",
    "hr": """quiero pedir vacaciones; no recibí mi salario; estoy enfermo y no puedo trabajar; envío mi solicitud de empleo;
    la nómina está mal; pido el permiso de paternidad; cuántos días de vacaciones tengo; me interesa el puesto de trabajo""",
    "returns": """el producto llegó dañado; quiero devolver el artículo; el aparato está roto; recibí el artículo equivocado;
    quiero cambiar la talla; la talla no es correcta; necesito la etiqueta de devolución; tiene todavía garantía""",
    "spam": """ha ganado {amount}; haga clic aquí para su premio; gane dinero rápido desde casa; bono gratis en el casino;
    hágase rico con bitcoin; pastillas baratas sin receta; reclame su premio ahora; usted es el afortunado ganador""",
    "feedback": """tengo una sugerencia; una idea para la próxima versión; sería bueno tener un modo oscuro; sigan así;
    me gusta el nuevo diseño; felicidades al equipo; propongo una nueva función; una pequeña mejora""",
    "security": """hackearon mi cuenta; recibí un correo de phishing; hay un virus en el ordenador; robaron nuestros datos;
    encontré un fallo de seguridad; me robaron el portátil; un acceso sospechoso desde otro país; los hackers atacan el servidor""",
    "cancellation": """quiero cancelar mi suscripción; den de baja mi contrato; quiero terminar la suscripción; confirmen la cancelación;
    no quiero renovar; me doy de baja; cómo cancelo mi plan; ya no necesito la suscripción""",
    "scheduling": """quiero pedir una cita; tengo que cambiar la cita; quiero reservar una mesa; tienen hora libre el lunes;
    confirmen la reserva; podemos mover la reunión; olvidaron mi cita; quiero reservar una habitación""",
}
FRENCH = {
    "billing": """la facture est fausse; j'ai été débité deux fois; il me faut une copie de la facture; ma carte bancaire a été refusée;
    j'ai déjà payé la facture; le montant de la facture est faux; j'ai reçu un rappel de paiement; le paiement a échoué""",
    "technical": """l'application plante; je reçois un message d'erreur; le logiciel ne démarre pas; le site ne charge pas; la mise à jour a un bug;
    l'installation s'arrête; le serveur donne une erreur; l'application ne synchronise plus""",
    "shipping": """mon colis n'est pas arrivé; où est ma commande; la livraison est en retard; le colis est perdu;
    quand arrive le colis; le livreur n'est pas venu; le suivi du colis ne change pas; l'adresse de livraison est fausse""",
    "account": """je ne peux pas me connecter; j'ai oublié mon mot de passe; mon compte est bloqué; mon mot de passe est refusé;
    je veux changer de mot de passe; la connexion ne marche pas; je n'ai plus accès à mon compte; mon identifiant est inconnu""",
    "sales": """je voudrais un devis; combien coûte la grande formule; nous voulons acheter {n} licences; y a-t-il une remise;
    nous voudrions une démonstration; envoyez-nous vos tarifs; votre produit nous intéresse; faites-nous une offre""",
    "legal": """supprimez mes données personnelles; notre avocat relit le contrat; cela viole la vie privée; quelles données personnelles gardez-vous;
    je retire mon consentement; signez le contrat; c'est contre la loi; je parle de la protection des données""",
    "hr": """je voudrais poser des congés; mon salaire manque; je suis malade et ne peux pas travailler; voici ma candidature;
    ma fiche de paie est fausse; je demande un congé parental; combien de jours de congé ai-je; je postule pour le poste""",
    "returns": """l'article est arrivé endommagé; je veux renvoyer l'article; l'appareil est cassé; j'ai reçu le mauvais article;
    je voudrais un échange; la taille ne va pas; il me faut une étiquette de retour; l'appareil est-il sous garantie""",
    "spam": """vous avez gagné {amount}; cliquez ici pour votre prix; gagnez vite de l'argent à la maison; bonus gratuit au casino;
    devenez riche avec le bitcoin; pilules pas chères sans ordonnance; réclamez votre prix; vous êtes l'heureux gagnant""",
    "feedback": """j'ai une suggestion; une idée pour la prochaine version; ce serait bien d'avoir un mode sombre; continuez ainsi;
    j'aime le nouveau design; bravo à votre équipe; je propose une nouvelle fonction; une petite amélioration""",
    "security": """mon compte a été piraté; j'ai reçu un mail de phishing; il y a un virus sur l'ordinateur; nos données ont été volées;
    j'ai trouvé une faille de sécurité; mon portable a été volé; une connexion suspecte de l'étranger; des pirates attaquent le serveur""",
    "cancellation": """je veux résilier mon abonnement; résiliez mon contrat; je voudrais arrêter l'abonnement; confirmez la résiliation;
    je ne veux pas renouveler; je résilie par la présente; comment résilier ma formule; je n'ai plus besoin de l'abonnement""",
    "scheduling": """je voudrais un rendez-vous; je dois déplacer le rendez-vous; je voudrais réserver une table; avez-vous un créneau lundi;
    confirmez la réservation; pouvons-nous déplacer la réunion; mon rendez-vous a été oublié; je voudrais réserver une chambre""",
}
FOREIGN = {
    language: {topic: words(text) for topic, text in topics.items()}
    for language, topics in (("de", GERMAN), ("es", SPANISH), ("fr", FRENCH))
}
