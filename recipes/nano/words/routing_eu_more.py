"""Further German, Spanish and French sentences of the routing family. Marks as in routing_en."""

MORE = {
    "de": {
        "billing": """
!Warum wurden mir {amount} vom Konto abgezogen?
!Die monatliche Gebühr ist ohne Ankündigung gestiegen.
Wann ist die nächste Rate fällig?
!$Ich habe doppelt bezahlt und möchte {amount} zurück.
Ich brauche einen Beleg über die Zahlung für die Steuer.
!Ihre Rechnung enthält eine Gebühr, die ich nicht kenne.
""",
        "technical": """
!Die Anwendung friert ein, sobald ich eine Datei hochlade.
!Ich bekomme eine Fehlermeldung, wenn ich drucken will.
!Das WLAN meiner {product} bricht dauernd ab.
Läuft das Programm auch auf dem Mac?
!Die Suche zeigt keine Ergebnisse, obwohl es Dokumente gibt.
!Der Kalender wird seit dem neuen Update nicht mehr synchronisiert.
""",
        "shipping": """
!Das Paket sollte gestern da sein, es fehlt jede Spur.
!Es kam nur eines von zwei Paketen an.
Kann der Bote das Paket beim Nachbarn abgeben?
!Die Lieferung ging an meine alte Adresse.
Was kostet der Versand nach {city}?
!Der Fahrer hat nicht geklingelt und das Paket wieder mitgenommen.
""",
        "account": """
!Mein Passwort wird nicht angenommen.
!Ich komme nicht mehr in mein Benutzerkonto.
Wie richte ich die Anmeldung in zwei Schritten ein?
!Nach drei falschen Passwörtern bin ich ausgesperrt.
Bitte ändern Sie die E-Mail-Adresse meines Zugangs in {email}.
""",
        "sales": """
Ich möchte {product} kaufen, haben Sie das auf Lager?
Was würde uns eine Lizenz für {n} Leute kosten?
Bitte schicken Sie uns Ihren Katalog mit Preisen.
Wir suchen einen neuen Anbieter und vergleichen Preise.
Bekommen neue Kunden einen Nachlass beim Kauf?
""",
        "returns": """
!Die {product} ist nach zwei Tagen kaputtgegangen, ich will eine neue.
!In der Packung fehlten Schrauben.
Wie lange darf ich Ware zurückgeben?
!Die Größe ist falsch, ich möchte umtauschen.
$Ich schicke die Ware zurück und bitte um Erstattung.
Gilt für {product} noch die Garantie?
""",
        "hr": """
Wem gebe ich die Krankmeldung?
Ich möchte mich auf die offene Stelle bewerben.
Kann ich zwei Tage in der Woche von zu Hause arbeiten?
!Auf meiner Abrechnung fehlen Arbeitsstunden.
""",
    },
    "es": {
        "billing": """
!¿Por qué me han quitado {amount} de la cuenta?
!La cuota mensual ha subido sin avisar.
¿Cuándo hay que pagar el próximo plazo?
!$He pagado dos veces y quiero recuperar {amount}.
Necesito un recibo del pago para los impuestos.
!En la factura hay un cargo que no conozco.
""",
        "technical": """
!El programa se congela cuando subo una foto.
!Me sale un mensaje de error al imprimir.
!El wifi de mi {product} se corta a cada rato.
¿Funciona el programa en Mac?
!La búsqueda no da resultados, aunque hay documentos.
!El calendario ya no se sincroniza desde la nueva versión.
""",
        "shipping": """
!El paquete tenía que llegar ayer y no hay rastro de él.
!Solo llegó uno de los dos paquetes.
¿Puede el repartidor dejar el paquete en casa del vecino?
!Enviaron el pedido a mi dirección antigua.
¿Cuánto cuesta el envío a {city}?
!El conductor no llamó y se llevó el paquete.
""",
        "account": """
!El sistema no acepta mi contraseña.
!Ya no puedo acceder a mi cuenta de usuario.
¿Cómo activo el acceso en dos pasos?
!Me he quedado bloqueado tras tres contraseñas incorrectas.
Cambien el correo de mi usuario a {email}.
""",
        "sales": """
Quiero comprar {product}, ¿lo tienen en la tienda?
¿Cuánto nos costaría una licencia para {n} personas?
Envíennos su catálogo con precios.
Buscamos un nuevo proveedor y comparamos precios.
¿Hay un precio especial para clientes nuevos que compran mucho?
""",
        "returns": """
!La {product} se rompió a los dos días y quiero una nueva.
!En la caja faltaban tornillos.
¿Cuántos días tengo para devolver un producto?
!La talla no es la que pedí, quiero cambiarla.
$Devuelvo el artículo y pido que me reembolsen.
¿Tiene {product} todavía garantía?
""",
        "hr": """
¿A quién entrego la baja médica?
Quiero presentarme al puesto vacante.
¿Puedo trabajar desde casa dos días por semana?
!En mi nómina faltan horas de trabajo.
""",
    },
    "fr": {
        "billing": """
!Pourquoi a-t-on prélevé {amount} sur mon compte ?
!Le prix mensuel a augmenté sans prévenir.
Quand faut-il payer la prochaine échéance ?
!$J'ai payé deux fois et je veux récupérer {amount}.
J'ai besoin d'un reçu du paiement pour les impôts.
!Il y a sur la facture des frais que je ne connais pas.
""",
        "technical": """
!Le logiciel se fige quand j'envoie une photo.
!J'ai un message d'erreur quand je veux imprimer.
!Le wifi de mon {product} coupe sans arrêt.
Le logiciel marche-t-il sur Mac ?
!La recherche ne donne rien alors que les documents existent.
!Le calendrier ne se synchronise plus depuis la nouvelle version.
""",
        "shipping": """
!Le colis devait arriver hier et il n'y en a aucune trace.
!Un seul des deux colis est arrivé.
Le livreur peut-il laisser le colis chez le voisin ?
!La commande a été envoyée à mon ancienne adresse.
Combien coûte la livraison à {city} ?
!Le chauffeur n'a pas sonné et il est reparti avec le paquet.
""",
        "account": """
!Le système refuse mon mot de passe.
!Je ne peux plus accéder à mon compte utilisateur.
Comment activer la connexion en deux étapes ?
!Je suis bloqué après trois mots de passe faux.
Merci de changer l'adresse mail de mon identifiant en {email}.
""",
        "sales": """
Je veux acheter {product}, l'avez-vous en magasin ?
Combien nous coûterait une licence pour {n} personnes ?
Envoyez-nous votre catalogue avec les prix.
Nous cherchons un nouveau fournisseur et comparons les prix.
Y a-t-il un prix spécial pour les nouveaux clients qui achètent beaucoup ?
""",
        "returns": """
!Le {product} s'est cassé après deux jours, j'en veux un neuf.
!Il manquait des vis dans la boîte.
Combien de jours ai-je pour retourner un produit ?
!La taille n'est pas celle que j'ai commandée, je veux l'échanger.
$Je renvoie l'article et je demande à être remboursé.
Le {product} est-il encore sous garantie ?
""",
        "hr": """
À qui donner mon arrêt maladie ?
Je voudrais poser ma candidature pour le poste libre.
Puis-je travailler à la maison deux jours par semaine ?
!Il manque des heures de travail sur ma fiche de paie.
""",
    },
}
