"""German, Spanish and French words and sentences of the tone family, by strength."""

from recipes.nano.wording import lines, words

GERMAN = {
    "great": words(
        "wunderbar; hervorragend; fantastisch; ausgezeichnet; großartig; perfekt; traumhaft; genial; herrlich; überragend; spitze; unübertroffen; einmalig gut; einfach klasse"
    ),
    "good": words(
        "gut; nett; angenehm; ordentlich; solide; in Ordnung und sauber; praktisch; nicht schlecht; zuverlässig; ganz gut; bequem; hübsch; recht schön; brauchbar"
    ),
    "poor": words(
        "enttäuschend; mittelmäßig; schwach; nicht gut; eher schlecht; langweilig; zu teuer; unangenehm; mäßig; zu langsam; lästig; nicht überzeugend; unpraktisch; schlampig"
    ),
    "awful": words(
        "schrecklich; furchtbar; katastrophal; ekelhaft; grauenhaft; eine Frechheit; eine Katastrophe; unerträglich; absolut unbrauchbar; das Letzte; miserabel; ein Albtraum; eine Zumutung; grottenschlecht"
    ),
    "aspect": words(
        "Das Essen; Der Service; Das Zimmer; Die Bedienung; Der Akku; Das Frühstück; Der Preis; Die Lage; Der Bildschirm; Das Bett; Die Lieferung; Der Kurs; Die Verpackung; Der Klang; Der Kaffee; Die Musik"
    ),
    "frames": lines(
        "{aspect} war {adjective}.\n{aspect} ist {adjective}.\n{aspect} war für uns {adjective}.\nIch muss sagen: {aspect} ist {adjective}.\n{aspect} dort war wirklich {adjective}.\n{aspect}: {adjective}.\nAlso {aspect} war {adjective}."
    ),
    "great_said": lines(
        "Ich bin begeistert!\nBesser geht es nicht.\nWir waren rundum glücklich, ein Traum.\nDas Beste, was ich je gekauft habe.\nIch liebe es über alles.\nFünf Sterne reichen dafür nicht.\nAlles war perfekt, jederzeit wieder!"
    ),
    "good_said": lines(
        "Ich bin zufrieden.\nEs tut, was es soll.\nKeine Beschwerden bisher.\nMir gefällt es.\nIch würde es wieder kaufen.\nGutes Verhältnis von Preis und Leistung.\nWir kommen gern wieder."
    ),
    "neutral_said": lines(
        "Ich habe es im Mai gekauft.\nEs ist weder gut noch schlecht.\nEs kostet {amount}.\nEs ist durchschnittlich.\nDazu habe ich keine Meinung.\nDer Laden liegt in {city}.\nEs geht so."
    ),
    "poor_said": lines(
        "Ich bin nicht zufrieden.\nIch hatte mehr erwartet.\nDas würde ich nicht wieder kaufen.\nLeider eine Enttäuschung.\nEs ist das Geld nicht wert.\nIch kann es nicht empfehlen.\nSchade, es gefällt mir nicht."
    ),
    "awful_said": lines(
        "Nie wieder!\nDas Schlimmste, was ich je erlebt habe.\nReine Geldverschwendung, Finger weg!\nIch bin entsetzt und angewidert.\nIch hasse dieses Ding.\nNull Sterne wären noch zu viel.\nEin Albtraum von Anfang bis Ende."
    ),
    "but": words("aber; allerdings; jedoch; doch"),
    "anger": (
        lines(
            "Das ist nicht schlimm.\nSo etwas kann passieren.\nIch bin nicht verärgert.\nIch wollte es nur mitteilen.\nAlles halb so wild."
        ),
        lines(
            "Das ist ein wenig ärgerlich.\nIch bin etwas enttäuscht.\nDas stört mich ein bisschen.\nEs ist leicht lästig.\nSchön ist das nicht gerade."
        ),
        lines(
            "Ich bin sehr verärgert.\nMeine Geduld ist am Ende.\nIch habe genug vom Warten.\nDas ist wirklich frustrierend.\nIch bin sauer über diesen Service."
        ),
        lines(
            "Ich bin stinkwütend!\nDas ist eine bodenlose Frechheit!\nIch koche vor Wut!\nEine Unverschämtheit, ihr Betrüger!\nSo wütend war ich noch nie im Leben!"
        ),
    ),
    "urgency": (
        lines("Es eilt nicht.\nLassen Sie sich Zeit.\nDas hat Zeit.\nEs ist überhaupt nicht dringend."),
        lines(
            "Irgendwann in den nächsten Wochen genügt.\nWir brauchen es nächsten Monat.\nBis Ende des Monats reicht es.\nIn drei bis vier Wochen, bitte."
        ),
        lines(
            "Bitte noch diese Woche.\nIch brauche es in den nächsten Tagen.\nEs muss vor dem Wochenende fertig sein.\nIn zwei oder drei Tagen, bitte."
        ),
        lines(
            "Ich brauche es bis morgen.\nEs muss heute noch erledigt werden.\nMorgen früh ist der Termin.\nBitte bis heute Abend."
        ),
        lines(
            "Das ist ein Notfall!\nBitte sofort kommen, alles steht still!\nWir brauchen jetzt sofort Hilfe!\nJede Minute zählt, handeln Sie sofort!"
        ),
    ),
    "manners": (
        lines(
            "Seid ihr eigentlich blöd?\nIhr Idioten könnt gar nichts.\nMacht endlich euren verdammten Job.\nLauter Versager bei euch."
        ),
        lines("Antworten Sie per Mail.\nPrüfen Sie das.\nIch warte auf Antwort.\nSagen Sie mir Bescheid."),
        lines(
            "Könnten Sie mir bitte helfen? Vielen herzlichen Dank.\nIch wäre Ihnen sehr dankbar.\nVielen Dank für Ihre freundliche Hilfe.\nWären Sie bitte so nett, das zu prüfen? Danke."
        ),
    ),
    "matters": lines(
        "Es geht um die Bestellung von {n} Stühlen.\nDer Drucker in Raum {n} zeigt einen Fehler.\nMeine Buchung für {city} hat den falschen Namen.\nDie Rechnung von {company} hat ein falsches Datum.\nDas Passwort von {name} muss geändert werden.\nDie Lieferung nach {city} ist noch nicht da."
    ),
}
SPANISH = {
    "great": words(
        "maravilloso; excelente; fantástico; perfecto; increíble; estupendo; magnífico; genial; espectacular; sobresaliente; extraordinario; impecable; de primera"
    ),
    "good": words(
        "bueno; agradable; correcto; cómodo; bonito; práctico; bastante bueno; nada mal; fiable; útil; satisfactorio; decente; majo"
    ),
    "poor": words(
        "decepcionante; mediocre; flojo; nada bueno; bastante malo; aburrido; demasiado caro; incómodo; lento; molesto; poco convincente; pobre; descuidado"
    ),
    "awful": words(
        "terrible; horrible; asqueroso; un desastre; una pesadilla; pésimo; una vergüenza; insoportable; una estafa; lo peor; nefasto; espantoso; una basura"
    ),
    "aspect": words(
        "El servicio; El hotel; El cuarto; El desayuno; El café; El precio; El sonido; El envío; El curso; El diseño; El vino; El baño; El menú; El trato"
    ),
    "frames": lines(
        "{aspect} fue {adjective}.\n{aspect} es {adjective}.\n{aspect} me pareció {adjective}.\nTengo que decir que {aspect} es {adjective}.\n{aspect}: {adjective}.\nPara nosotros {aspect} fue {adjective}."
    ),
    "great_said": lines(
        "¡Estoy encantado!\nNo podría ser mejor.\nEs lo mejor que he comprado en mi vida.\nMe encanta, es un sueño.\nTodo fue perfecto de principio a fin.\nCinco estrellas son pocas."
    ),
    "good_said": lines(
        "Estoy contento.\nHace lo que debe.\nNo tengo quejas.\nMe gusta.\nLo compraría otra vez.\nBuena relación entre calidad y precio."
    ),
    "neutral_said": lines(
        "Lo compré en mayo.\nNi bueno ni malo.\nCuesta {amount}.\nEs normal, nada más.\nNo tengo una opinión clara.\nLa tienda está en {city}."
    ),
    "poor_said": lines(
        "No estoy contento.\nEsperaba más.\nNo lo compraría otra vez.\nPor desgracia, una decepción.\nNo vale lo que cuesta.\nNo lo puedo recomendar."
    ),
    "awful_said": lines(
        "¡Nunca más!\nLo peor que he visto en mi vida.\nEs tirar el dinero, ¡no lo compren!\nEstoy horrorizado.\nOdio este producto.\nCero estrellas serían demasiadas."
    ),
    "but": words("pero; sin embargo,; aunque; en cambio"),
    "anger": (
        lines(
            "No pasa nada.\nEsto le puede pasar a cualquiera.\nNo estoy enfadado.\nSolo quería informar.\nNo es grave."
        ),
        lines(
            "Es un poco molesto.\nEstoy algo decepcionado.\nMe molesta un poco.\nNo es lo ideal, la verdad.\nEs una pequeña molestia."
        ),
        lines(
            "Estoy muy enfadado.\nSe me acaba la paciencia.\nEstoy harto de esperar.\nEs muy frustrante.\nEstoy cansado de sus excusas."
        ),
        lines(
            "¡Estoy furioso!\n¡Esto es un escándalo!\n¡Son unos ladrones!\n¡Qué vergüenza, nunca he estado tan enfadado!\n¡Estoy rabioso, esto es indignante!"
        ),
    ),
    "urgency": (
        lines("No hay prisa.\nTómense su tiempo.\nNo es nada urgente.\nPuede esperar."),
        lines(
            "En las próximas semanas está bien.\nLo necesitamos el mes que viene.\nAntes de fin de mes es suficiente.\nEn tres o cuatro semanas, por favor."
        ),
        lines(
            "Esta semana, por favor.\nLo necesito en los próximos días.\nTiene que estar antes del fin de semana.\nEn dos o tres días, por favor."
        ),
        lines(
            "Lo necesito para mañana.\nHay que resolverlo hoy.\nLa reunión es mañana por la mañana.\nPor favor, antes de esta noche."
        ),
        lines(
            "¡Es una emergencia!\n¡Vengan ahora mismo, todo está parado!\n¡Necesitamos ayuda inmediata!\n¡Cada minuto cuenta, actúen ya!"
        ),
    ),
    "manners": (
        lines("¿Son tontos o qué?\nIdiotas, no saben hacer nada.\nHagan su maldito trabajo.\nSon unos inútiles."),
        lines("Respondan por correo.\nRevisen esto.\nEspero respuesta.\nAvísenme."),
        lines(
            "¿Serían tan amables de ayudarme? Muchas gracias.\nLes estaría muy agradecido.\nMuchísimas gracias por su amable ayuda.\n¿Podrían mirarlo, por favor? Gracias."
        ),
    ),
    "matters": lines(
        "Se trata del pedido de {n} sillas.\nLa impresora de la sala {n} da un error.\nMi reserva para {city} tiene mal el nombre.\nLa factura de {company} tiene una fecha equivocada.\nHay que cambiar la contraseña de {name}.\nEl envío a {city} no está aquí."
    ),
}
FRENCH = {
    "great": words(
        "merveilleux; excellent; fantastique; parfait; incroyable; magnifique; génial; superbe; exceptionnel; extraordinaire; impeccable; formidable; sublime"
    ),
    "good": words(
        "bon; agréable; correct; confortable; joli; pratique; plutôt bon; pas mal; fiable; utile; satisfaisant; convenable; sympa"
    ),
    "poor": words(
        "décevant; médiocre; faible; pas bon; plutôt mauvais; ennuyeux; trop cher; inconfortable; trop lent; gênant; peu convaincant; moyen en tout; négligé"
    ),
    "awful": words(
        "terrible; horrible; dégoûtant; un désastre; un cauchemar; affreux; une honte; insupportable; une arnaque; lamentable; catastrophique; épouvantable; nul"
    ),
    "aspect": words(
        "Le service; Le repas; Le lit; Le petit déjeuner; Le café; Le prix; Le son; Le cours; Le design; Le vin; Le bain; Le menu; Le personnel; Le film"
    ),
    "frames": lines(
        "{aspect} était {adjective}.\n{aspect} est {adjective}.\nPour nous, {aspect} était {adjective}.\nJe dois dire que {aspect} est {adjective}.\n{aspect} : {adjective}.\nÀ mon avis, {aspect} est {adjective}."
    ),
    "great_said": lines(
        "Je suis ravi !\nCela ne pourrait pas être mieux.\nLe meilleur achat de ma vie.\nJ'adore, c'est un rêve.\nTout était parfait du début à la fin.\nCinq étoiles ne suffisent pas."
    ),
    "good_said": lines(
        "Je suis content.\nIl fait ce qu'il doit faire.\nRien à redire.\nCela me plaît.\nJe l'achèterais encore.\nBon rapport qualité prix."
    ),
    "neutral_said": lines(
        "Je l'ai acheté en mai.\nNi bon ni mauvais.\nIl coûte {amount}.\nC'est moyen, sans plus.\nJe n'ai pas d'avis.\nLe magasin est à {city}."
    ),
    "poor_said": lines(
        "Je ne suis pas content.\nJ'attendais mieux.\nJe ne l'achèterais pas une deuxième fois.\nMalheureusement une déception.\nIl ne vaut pas son prix.\nJe ne peux pas le recommander."
    ),
    "awful_said": lines(
        "Plus jamais !\nLe pire que j'aie vu de ma vie.\nDe l'argent jeté, n'achetez pas !\nJe suis horrifié.\nJe déteste ce produit.\nZéro étoile serait encore trop."
    ),
    "but": words("mais; cependant,; par contre,; pourtant"),
    "anger": (
        lines(
            "Ce n'est pas grave.\nCela peut arriver à tout le monde.\nJe ne suis pas fâché.\nJe voulais juste vous informer.\nRien de bien méchant."
        ),
        lines(
            "C'est un peu gênant.\nJe suis un peu déçu.\nCela m'ennuie un peu.\nCe n'est pas idéal.\nC'est légèrement agaçant."
        ),
        lines(
            "Je suis très fâché.\nJe perds patience.\nJ'en ai assez d'attendre.\nC'est vraiment frustrant.\nJe suis fatigué de vos excuses."
        ),
        lines(
            "Je suis furieux !\nC'est un scandale !\nVous êtes des voleurs !\nQuelle honte, je n'ai jamais été aussi en colère !\nJe suis fou de rage !"
        ),
    ),
    "urgency": (
        lines("Rien ne presse.\nPrenez votre temps.\nCe n'est pas du tout urgent.\nCela peut attendre."),
        lines(
            "Dans les prochaines semaines, c'est bien.\nIl nous le faut le mois prochain.\nAvant la fin du mois suffit.\nDans trois ou quatre semaines, merci."
        ),
        lines(
            "Cette semaine, s'il vous plaît.\nIl me le faut dans les prochains jours.\nCela doit être prêt avant le week-end.\nDans deux ou trois jours, merci."
        ),
        lines(
            "Il me le faut pour demain.\nIl faut régler cela aujourd'hui.\nLa réunion est demain matin.\nAvant ce soir, s'il vous plaît."
        ),
        lines(
            "C'est une urgence !\nVenez tout de suite, tout est arrêté !\nIl nous faut de l'aide immédiatement !\nChaque minute compte, agissez maintenant !"
        ),
    ),
    "manners": (
        lines(
            "Vous êtes bêtes ou quoi ?\nBande d'idiots, vous ne savez rien faire.\nFaites votre fichu travail.\nVous êtes des incapables."
        ),
        lines("Répondez par mail.\nVérifiez cela.\nJ'attends une réponse.\nTenez-moi au courant."),
        lines(
            "Auriez-vous la gentillesse de m'aider ? Merci beaucoup.\nJe vous serais très reconnaissant.\nMille mercis pour votre aide.\nPourriez-vous regarder, s'il vous plaît ? Merci."
        ),
    ),
    "matters": lines(
        "Il s'agit de la commande de {n} chaises.\nL'imprimante de la salle {n} affiche une erreur.\nMa réservation pour {city} est au mauvais nom.\nLa facture de {company} a une mauvaise date.\nIl faut changer le mot de passe de {name}.\nLa livraison à {city} n'est pas là."
    ),
}
