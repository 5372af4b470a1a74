"""Further German, Spanish and French sentences of the tone family, by ladder and level."""

from recipes.nano.wording import lines

MORE = {
    "de": {
        "great_said": lines(
            "Ich bin überglücklich!\nAbsolut perfekt, einfach großartig.\nWir sind total begeistert.\nHervorragend, ich empfehle es allen.\nSchöner kann es nicht sein."
        ),
        "good_said": lines(
            "Alles in Ordnung, ich bin zufrieden.\nEs war ein netter Abend.\nIch kann es empfehlen.\nEs funktioniert gut.\nIch mag es."
        ),
        "poor_said": lines(
            "Ich bin enttäuscht.\nWir kommen nicht wieder.\nEs funktioniert leider nicht gut.\nDas alte war besser.\nFür das Geld ist es zu schlecht."
        ),
        "awful_said": lines(
            "Absolut furchtbar!\nEine Katastrophe, nie wieder!\nDas ist der schlimmste Laden der Welt.\nSchrecklich, ich bin entsetzt.\nDas ist Müll, kauft es nicht!"
        ),
        "anger": (
            lines("Ich bin ganz ruhig.\nKein Problem.\nIch habe Geduld.\nIch bin nicht böse.\nEs ist nicht schlimm."),
            lines(
                "Ich bin ein bisschen verärgert.\nDas ist etwas lästig.\nEin wenig schade ist das schon.\nDas ist leicht ärgerlich.\nIch bin ein wenig enttäuscht."
            ),
            lines(
                "Ich bin wirklich sauer.\nIch habe keine Geduld mehr.\nDas ist sehr ärgerlich.\nIch habe genug von Ihren Ausreden.\nIch bin sehr frustriert."
            ),
            lines(
                "Ich bin außer mir vor Wut!\nSie Betrüger, das ist eine Frechheit!\nIch bin so wütend wie noch nie!\nDas ist ein Skandal, eine Unverschämtheit!\nIch koche, das ist eine Schande!"
            ),
        ),
        "urgency": (
            lines(
                "Nehmen Sie sich Zeit, es eilt nicht.\nEs ist nicht dringend.\nDas kann warten.\nWann Sie Zeit haben, genügt."
            ),
            lines(
                "In den nächsten Wochen, bitte.\nNächsten Monat ist früh genug.\nWir haben noch einige Wochen.\nIrgendwann diesen Monat reicht."
            ),
            lines(
                "Bitte in dieser Woche.\nBis zum Ende der Woche, bitte.\nEs muss in drei Tagen fertig sein.\nVor dem Wochenende brauchen wir es."
            ),
            lines(
                "Bitte heute noch.\nEs muss morgen fertig sein.\nBis morgen früh, bitte.\nHeute Abend brauche ich es."
            ),
            lines(
                "Sofort, bitte, es ist ein Notfall!\nAlles steht still, wir brauchen sofort Hilfe!\nKommen Sie jetzt gleich!\nDringend, jede Minute zählt!"
            ),
        ),
        "manners": (
            lines(
                "Ihr seid doch alle blöd.\nIdioten!\nVerdammt, könnt ihr gar nichts?\nIhr Versager, macht euren Job."
            ),
            lines(
                "Ich warte.\nPrüfen und antworten.\nBitte keine Rückfragen, antworten Sie.\nSagen Sie mir, was Sie tun."
            ),
            lines(
                "Vielen herzlichen Dank für Ihre Mühe.\nBitte seien Sie so freundlich und helfen Sie mir, danke.\nIch wäre dankbar, wenn Sie helfen könnten.\nDanke, Sie sind sehr nett."
            ),
        ),
    },
    "es": {
        "great_said": lines(
            "¡Estoy feliz, es perfecto!\nExcelente, lo recomiendo a todos.\nUn sueño, simplemente increíble.\nEstamos encantados con todo.\nNada puede ser mejor."
        ),
        "good_said": lines(
            "Todo bien, estoy satisfecho.\nFue una tarde agradable.\nLo puedo recomendar.\nFunciona bien.\nVale lo que cuesta."
        ),
        "poor_said": lines(
            "Estoy decepcionado.\nNo volveremos.\nPor desgracia no funciona bien.\nEl viejo era mejor.\nNo me gusta."
        ),
        "awful_said": lines(
            "¡Absolutamente horrible!\n¡Un desastre, nunca más!\nEs la peor tienda del mundo.\nTerrible, estoy horrorizado.\nEs basura, ¡no lo compren!"
        ),
        "anger": (
            lines("Estoy tranquilo.\nNo es un problema.\nTengo paciencia.\nNo estoy molesto, estas cosas pasan."),
            lines(
                "Estoy un poco molesto.\nEs algo molesto.\nUn poco decepcionado estoy.\nEs una lástima, pero pequeña."
            ),
            lines(
                "Estoy realmente enfadado.\nYa no tengo paciencia.\nEsto es muy molesto y frustrante.\nEstoy harto de sus excusas."
            ),
            lines(
                "¡Estoy fuera de mí de rabia!\n¡Ladrones, esto es una vergüenza!\n¡Es un escándalo indignante!\n¡Estoy furioso como nunca!"
            ),
        ),
        "urgency": (
            lines(
                "Tómense su tiempo, no hay prisa.\nNo es urgente.\nEsto puede esperar.\nCuando tengan tiempo está bien."
            ),
            lines(
                "En las próximas semanas, por favor.\nEl mes que viene es suficiente.\nTenemos todavía unas semanas.\nEn algún momento de este mes está bien."
            ),
            lines(
                "Por favor, en esta semana.\nAntes del fin de semana, por favor.\nTiene que estar en tres días.\nLo necesitamos en unos días."
            ),
            lines(
                "Por favor, hoy mismo.\nTiene que estar mañana.\nPara mañana por la mañana, por favor.\nLo necesito esta noche."
            ),
            lines(
                "¡Ahora mismo, es una emergencia!\n¡Todo está parado, necesitamos ayuda ya!\n¡Vengan inmediatamente!\n¡Urgente, cada minuto cuenta!"
            ),
        ),
        "manners": (
            lines("Son todos unos idiotas.\n¡Idiotas!\nMalditos inútiles, no saben nada.\nTontos, hagan su trabajo."),
            lines("Espero.\nRevisen y respondan.\nDíganme qué pasa.\nRespondan a esto."),
            lines(
                "Muchas gracias por su ayuda, son muy amables.\nPor favor, sean tan amables de mirarlo, gracias.\nLes agradecería mucho su ayuda.\nGracias por su tiempo."
            ),
        ),
    },
    "fr": {
        "great_said": lines(
            "Je suis aux anges, c'est parfait !\nExcellent, je le recommande à tous.\nUn rêve, tout simplement incroyable.\nNous sommes ravis de tout.\nRien ne peut être mieux."
        ),
        "good_said": lines(
            "Tout va bien, je suis satisfait.\nC'était une soirée agréable.\nJe peux le recommander.\nCela marche bien.\nIl vaut son prix."
        ),
        "poor_said": lines(
            "Je suis déçu.\nNous ne reviendrons pas.\nMalheureusement cela ne marche pas bien.\nL'ancien était mieux.\nCela ne me plaît pas."
        ),
        "awful_said": lines(
            "Absolument horrible !\nUn désastre, plus jamais !\nC'est le pire magasin du monde.\nTerrible, je suis horrifié.\nC'est nul, n'achetez pas !"
        ),
        "anger": (
            lines(
                "Je suis calme.\nCe n'est pas un problème.\nJ'ai de la patience.\nJe ne suis pas fâché, cela arrive."
            ),
            lines("Je suis un peu agacé.\nC'est un peu agaçant.\nUn peu déçu, voilà tout.\nC'est dommage, mais petit."),
            lines(
                "Je suis vraiment fâché.\nJe n'ai plus de patience.\nC'est très gênant et frustrant.\nJ'en ai assez de vos excuses."
            ),
            lines(
                "Je suis hors de moi de rage !\nVoleurs, c'est une honte !\nC'est un scandale, une honte !\nJe suis furieux comme jamais !"
            ),
        ),
        "urgency": (
            lines(
                "Prenez votre temps, rien ne presse.\nCe n'est pas urgent.\nCela peut bien attendre.\nQuand vous aurez le temps, c'est bien."
            ),
            lines(
                "Dans les prochaines semaines, merci.\nLe mois prochain suffit.\nNous avons encore quelques semaines.\nUn jour de ce mois, c'est bien."
            ),
            lines(
                "Dans cette semaine, s'il vous plaît.\nAvant le week-end, merci.\nCela doit être prêt dans trois jours.\nIl nous le faut dans quelques jours."
            ),
            lines(
                "Aujourd'hui, s'il vous plaît.\nCela doit être prêt demain.\nPour demain matin, merci.\nIl me le faut ce soir."
            ),
            lines(
                "Tout de suite, c'est une urgence !\nTout est arrêté, il nous faut de l'aide maintenant !\nVenez immédiatement !\nUrgent, chaque minute compte !"
            ),
        ),
        "manners": (
            lines(
                "Vous êtes tous des idiots.\nIdiots !\nFichus incapables, vous ne savez rien.\nBande de bêtes, faites votre travail."
            ),
            lines("J'attends.\nVérifiez et répondez.\nDites-moi ce qui se passe.\nRépondez à cela."),
            lines(
                "Merci beaucoup pour votre aide, vous êtes très aimable.\nAyez la gentillesse de regarder, merci.\nJe vous serais reconnaissant de votre aide.\nMerci pour votre temps."
            ),
        ),
    },
}
