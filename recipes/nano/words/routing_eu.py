"""German, Spanish and French sentences of the routing family: language -> topic -> templates. Marks as in routing_en."""

GERMAN = {
    "billing": """
!Mir wurde der Betrag von {amount} [zweimal|doppelt] abgebucht.
!Auf meiner Rechnung steht {amount} statt {amount2}.
Bitte schicken Sie mir die Rechnung [für den letzten Monat|für Januar|noch einmal].
!$Sie haben {amount} zu viel abgebucht, ich möchte mein Geld zurück.
!Die Zahlung [wurde abgelehnt|ist fehlgeschlagen], obwohl meine Karte gültig ist.
Wie kann ich meine [Kreditkarte|Zahlungsart|Rechnungsadresse] ändern?
!Ich habe eine Mahnung bekommen, obwohl die Rechnung schon bezahlt ist.
Kann ich auch per [Überweisung|Lastschrift|Rechnung] zahlen?
Bitte tragen Sie unsere Steuernummer auf der Rechnung ein.
!Der Rabatt wurde auf der Rechnung nicht abgezogen.
""",
    "technical": """
!Die App stürzt [ständig|immer|sofort] ab, wenn ich sie öffne.
!Beim [Speichern|Hochladen|Drucken] kommt die Fehlermeldung {code}.
!Seit dem Update funktioniert die [Suche|Synchronisierung|Kamera] nicht mehr.
Wie [installiere|verbinde|richte] ich {product} auf meinem Handy ein?
!Die Webseite lädt nicht und bleibt weiß.
!Das Programm hängt sich auf und reagiert nicht mehr.
Welche Version von {product} brauche ich für Windows?
!Die Verbindung zum Server bricht alle paar Minuten ab.
!Nach der Installation startet {product} nicht.
!Der Bildschirm der App bleibt schwarz.
""",
    "shipping": """
!Mein Paket ist [noch nicht|immer noch nicht] angekommen.
Wo [ist|bleibt] meine [Bestellung|Lieferung|Sendung] {order}?
!Laut Sendungsverfolgung wurde geliefert, aber ich habe nichts bekommen.
Wie lange dauert der Versand nach {city}?
Können Sie die Lieferadresse ändern?
!Der Paketbote hat das Paket beim falschen Nachbarn abgegeben.
!Die Sendung hängt seit {n} Tagen im Zoll fest.
Liefern Sie auch nach [Österreich|Norwegen|{city}]?
!Die Lieferung war für letzte Woche angekündigt und ist nicht gekommen.
Wann wird meine Bestellung verschickt?
""",
    "account": """
!Ich kann mich nicht [anmelden|einloggen].
!Ich habe mein Passwort vergessen und die E-Mail zum Zurücksetzen kommt nicht an.
!Mein Konto wurde gesperrt.
Wie ändere ich [mein Passwort|meinen Benutzernamen|meine E-Mail-Adresse]?
!Der Bestätigungscode für die Anmeldung kommt nie an.
Bitte richten Sie für {name} einen neuen Benutzer ein.
!Beim Anmelden heißt es, mein Passwort sei falsch.
Ich habe ein neues Handy und brauche einen neuen Zugang zu meinem Benutzerkonto.
!Der Link zum Zurücksetzen des Passworts ist abgelaufen.
""",
    "sales": """
Bitte machen Sie uns ein Angebot für {n} Stück {product}.
Was kostet {product} für {n} Mitarbeiter?
Wir möchten {n} Lizenzen kaufen.
Gibt es einen Rabatt für [Schulen|Vereine|große Bestellungen]?
Können wir {product} vor dem Kauf kostenlos testen?
Wir interessieren uns für {product} und bitten um eine Preisliste.
Welcher Tarif passt zu einer Firma mit {n} Leuten?
Ich möchte eine Vorführung von {product} vereinbaren, bevor wir kaufen.
""",
    "returns": """
Ich möchte {product} zurückschicken, weil die Größe nicht passt.
!{product} kam [beschädigt|kaputt|zerkratzt] an.
!Sie haben mir den falschen Artikel geschickt, ich möchte ihn umtauschen.
!$Die Ware ist defekt, bitte erstatten Sie mir das Geld.
Wie kann ich einen Artikel zurückgeben?
Bitte senden Sie mir ein Etikett für die Rücksendung.
!Ein Teil fehlt in der Packung.
Kann ich {product} gegen eine andere Farbe umtauschen?
""",
    "hr": """
Ich möchte im [Juli|Mai|Herbst] {n2} Tage Urlaub nehmen.
!Mein Gehalt für [Mai|letzten Monat] ist falsch.
Ich bin krank und kann nicht zur Arbeit kommen, die Krankmeldung liegt bei.
Anbei meine Bewerbung um die Stelle als [Fahrer|Entwicklerin|Buchhalter].
Wie viele Urlaubstage habe ich noch?
Bitte schicken Sie mir meine Gehaltsabrechnung.
!Meine Überstunden wurden nicht bezahlt.
Ist die Stelle in {city} noch frei?
""",
    "legal": """
Bitte löschen Sie alle meine persönlichen Daten.
Welche Daten haben Sie über mich gespeichert?
!Sie haben meine Daten ohne Einwilligung weitergegeben.
Unser Anwalt hat Fragen zum Vertrag.
Bitte unterschreiben Sie die Vereinbarung zum Datenschutz.
Ich widerrufe meine Einwilligung zur Nutzung meiner Daten.
Wo werden unsere Daten gespeichert, und wer ist Ihr Datenschutzbeauftragter?
""",
    "cancellation": """
#Hiermit kündige ich [meinen Vertrag|mein Abo|meine Mitgliedschaft].
#Bitte bestätigen Sie mir die Kündigung.
#Ich möchte mein Abonnement beenden.
#Wie kann ich meinen Vertrag kündigen?
#Wir brauchen {product} nicht mehr und kündigen zum nächsten Termin.
#Bitte verlängern Sie meine Mitgliedschaft nicht, ich höre auf.
""",
    "spam": """
Herzlichen Glückwunsch, Sie haben {amount} gewonnen! Klicken Sie hier!
Verdienen Sie {amount} pro Woche von zu Hause, ganz ohne Arbeit!
Billige Uhren und Taschen, nur heute {n} Prozent Rabatt!!!
Kredit ohne Prüfung, Geld sofort auf Ihr Konto!
Wir bringen Ihre Webseite für nur {amount} auf Platz eins bei Google.
Investieren Sie jetzt in Krypto und verdoppeln Sie Ihr Geld!
""",
    "feedback": """
+Ich bin sehr zufrieden mit {product}, [vielen Dank|weiter so].
+Ihre Kollegin {name} war sehr freundlich und hilfsbereit.
Es wäre schön, wenn {product} [eine dunkle Ansicht|größere Knöpfe|eine Suche] hätte.
Mein Vorschlag: Öffnen Sie doch auch am Samstag.
+Ein großes Lob an das ganze Team in {city}.
Ich habe eine Idee zur Verbesserung der Verpackung.
""",
    "scheduling": """
Ich möchte einen Termin [beim Arzt|zum Haareschneiden|zur Inspektion] vereinbaren.
Kann ich meinen Termin auf {weekday} verschieben?
Bitte reservieren Sie einen Tisch für {n2} Personen.
Haben Sie im Juni noch ein Zimmer frei?
Ich würde meinen Besuch gern verlegen, welche Zeiten sind frei?
""",
}

SPANISH = {
    "billing": """
!Me han cobrado {amount} [dos veces|por duplicado].
!En mi factura pone {amount} en lugar de {amount2}.
¿Me pueden enviar la factura [del mes pasado|de enero|otra vez]?
!$Me cobraron {amount} de más y quiero que me devuelvan el dinero.
!El pago [fue rechazado|ha fallado], aunque mi tarjeta es válida.
¿Cómo puedo cambiar [la tarjeta|la forma de pago|los datos de facturación]?
!Recibí un aviso de impago, pero la factura ya está pagada.
¿Se puede pagar por transferencia?
!No aplicaron el descuento en la factura.
""",
    "technical": """
!La aplicación se cierra [siempre|cada vez] que la abro.
!Me sale el error {code} al [guardar|subir un archivo|imprimir].
!Desde la actualización no funciona [la búsqueda|la cámara|la sincronización].
¿Cómo instalo {product} en mi teléfono?
!La página no carga y se queda en blanco.
!El programa se bloquea y no responde.
¿Qué versión de {product} necesito para Windows?
!La conexión con el servidor se corta cada pocos minutos.
""",
    "shipping": """
!Mi [paquete|pedido] todavía no ha llegado.
¿Dónde está mi [pedido|paquete|envío] {order}?
!El seguimiento dice entregado, pero no he recibido nada.
¿Cuánto tarda el envío a {city}?
¿Pueden cambiar la dirección de entrega?
!El repartidor dejó el paquete en otra casa.
!El envío está parado en la aduana desde hace {n} días.
¿Cuándo se enviará mi pedido?
""",
    "account": """
!No puedo [entrar en mi cuenta|iniciar sesión].
!Olvidé mi contraseña y el correo para cambiarla no llega.
!Mi cuenta está bloqueada.
¿Cómo cambio [mi contraseña|mi usuario|mi correo]?
!El código de verificación para entrar no llega nunca.
Quiero añadir a {name} como usuario de la cuenta.
!Dice que mi contraseña es incorrecta, pero es la correcta.
""",
    "sales": """
Queremos comprar {n} unidades de {product}, ¿nos hacen una oferta?
¿Cuánto cuesta {product} para {n} empleados?
¿Hay descuento para [escuelas|estudiantes|pedidos grandes]?
¿Podemos probar {product} gratis antes de comprarlo?
Estamos interesados en {product} y pedimos una lista de precios.
¿Qué plan recomiendan para una empresa de {n} personas?
""",
    "returns": """
Quiero devolver {product} porque no es de mi talla.
!{product} llegó [roto|dañado|rayado].
!Me enviaron un artículo equivocado y quiero cambiarlo.
!$El producto está defectuoso, pido el reembolso.
¿Cómo puedo devolver un artículo?
Necesito una etiqueta para la devolución.
!Falta una pieza en la caja.
""",
    "hr": """
Quiero pedir {n2} días de vacaciones en [julio|mayo|otoño].
!Mi sueldo [de mayo|del mes pasado] está mal.
Estoy enfermo y no puedo ir a trabajar, adjunto la baja médica.
Adjunto mi currículum para el puesto de [conductor|programadora|contable].
¿Cuántos días de vacaciones me quedan?
¿Me pueden enviar mi nómina?
""",
    "legal": """
Pido que borren todos mis datos personales.
¿Qué datos personales guardan sobre mí?
!Han dado mis datos a terceros sin mi permiso.
Nuestro abogado tiene preguntas sobre el contrato.
Retiro mi consentimiento para el uso de mis datos.
""",
    "cancellation": """
#Quiero cancelar [mi suscripción|mi contrato|mi abono].
#Les pido que den de baja mi suscripción.
#¿Cómo puedo darme de baja?
#No renueven mi plan, quiero terminar el contrato.
#Ya no necesitamos {product} y cancelamos el contrato.
""",
    "spam": """
¡Felicidades, ha ganado {amount}! ¡Haga clic aquí!
¡Gane {amount} por semana desde casa sin trabajar!
¡Relojes y bolsos baratos, solo hoy con {n} por ciento de descuento!
¡Préstamos sin condiciones, dinero en su cuenta ya!
Invierta en cripto y duplique su dinero, ¡ganancia garantizada!
""",
    "feedback": """
+Estoy muy contento con {product}, [muchas gracias|sigan así].
+Su compañera {name} fue muy amable.
Sería bueno que {product} tuviera [botones más grandes|un buscador].
Tengo una sugerencia: abran también los sábados.
+Felicidades a todo el equipo de {city} por el buen servicio.
""",
}

FRENCH = {
    "billing": """
!J'ai été débité de {amount} [deux fois|en double].
!Ma facture indique {amount} au lieu de {amount2}.
Pouvez-vous m'envoyer la facture [du mois dernier|de janvier|encore une fois] ?
!$Vous avez prélevé {amount} de trop, je veux être remboursé.
!Le paiement [a été refusé|a échoué] alors que ma carte est valable.
Comment changer [ma carte|le mode de paiement|l'adresse de facturation] ?
!J'ai reçu un rappel alors que la facture est déjà payée.
Peut-on payer par virement ?
!La remise n'apparaît pas sur la facture.
""",
    "technical": """
!L'application plante [toujours|chaque fois] quand je l'ouvre.
!J'ai l'erreur {code} quand je veux [enregistrer|envoyer un fichier|imprimer].
!Depuis la mise à jour, [la recherche|la caméra|la synchronisation] ne marche plus.
Comment installer {product} sur mon téléphone ?
!La page ne se charge pas et reste blanche.
!Le logiciel se bloque et ne répond plus.
Quelle version de {product} faut-il pour Windows ?
!La connexion au serveur est coupée toutes les cinq minutes.
""",
    "shipping": """
!Mon [colis|paquet] n'est [pas encore|toujours pas] arrivé.
Où est ma commande {order} ?
!Le suivi indique livré, mais je n'ai rien reçu.
Combien de temps prend la livraison à {city} ?
Pouvez-vous changer l'adresse de livraison ?
!Le livreur a laissé le colis chez un autre voisin.
!L'envoi est bloqué à la douane depuis {n} jours.
Quand ma commande sera-t-elle expédiée ?
""",
    "account": """
!Je n'arrive pas à [me connecter|accéder à mon compte].
!J'ai oublié mon mot de passe et le mail pour le changer n'arrive pas.
!Mon compte est bloqué.
Comment changer [mon mot de passe|mon identifiant|mon adresse mail] ?
!Le code de vérification pour me connecter n'arrive jamais.
Merci d'ajouter {name} comme utilisateur du compte.
!On me dit que mon mot de passe est faux, mais il est juste.
""",
    "sales": """
Nous voulons acheter {n} {product}, pouvez-vous nous faire une offre ?
Combien coûte {product} pour {n} employés ?
Y a-t-il une remise pour [les écoles|les étudiants|les grandes commandes] ?
Peut-on essayer {product} gratuitement avant d'acheter ?
Nous sommes intéressés par {product} et demandons un devis.
Quelle formule conseillez-vous pour une entreprise de {n} personnes ?
""",
    "returns": """
Je voudrais renvoyer {product}, la taille ne va pas.
!{product} est arrivé [cassé|abîmé|rayé].
!Vous m'avez envoyé le mauvais article, je veux l'échanger.
!$Le produit est défectueux, je demande un remboursement.
Comment retourner un article ?
Merci de m'envoyer une étiquette de retour.
!Il manque une pièce dans la boîte.
""",
    "hr": """
Je voudrais prendre {n2} jours de congé en [juillet|mai|automne].
!Mon salaire [de mai|du mois dernier] est faux.
Je suis malade et ne peux pas venir au travail, l'arrêt est joint.
Voici mon CV pour le poste de [chauffeur|développeuse|comptable].
Combien de jours de congé me reste-t-il ?
Pouvez-vous m'envoyer ma fiche de paie ?
""",
    "legal": """
Je demande la suppression de toutes mes données personnelles.
Quelles données personnelles gardez-vous sur moi ?
!Vous avez transmis mes données à des tiers sans mon accord.
Notre avocat a des questions sur le contrat.
Je retire mon accord pour l'utilisation de mes données.
""",
    "cancellation": """
#Je souhaite résilier [mon abonnement|mon contrat].
#Merci de mettre fin à mon abonnement.
#Comment résilier mon contrat ?
#Ne renouvelez pas mon abonnement, je veux arrêter.
#Nous n'avons plus besoin de {product} et résilions le contrat.
""",
    "spam": """
Félicitations, vous avez gagné {amount} ! Cliquez ici !
Gagnez {amount} par semaine chez vous sans travailler !
Montres et sacs pas chers, {n} pour cent de remise, aujourd'hui seulement !!!
Crédit sans conditions, l'argent tout de suite sur votre compte !
Investissez dans la crypto et doublez votre argent, gain garanti !
""",
    "feedback": """
+Je suis très content de {product}, [merci beaucoup|continuez ainsi].
+Votre collègue {name} a été très aimable.
Ce serait bien si {product} avait [des boutons plus grands|une recherche].
J'ai une suggestion : ouvrez aussi le samedi.
+Bravo à toute l'équipe de {city} pour le bon service.
""",
}
