"""What the routing family says and asks. Words with meaning are shared by all splits, carriers and phrasings are not."""

from recipes.nano.wording import words

# Carriers of a topic's noun: a question, a problem, or neither.
ASKING = words("""I have a question about {x}.; Can you tell me more about {x}?; Could you give me information about {x}?;
I would like to know more about {x}.; Can you help me with a question about {x}?; Who can tell me something about {x}?;
I want to ask about {x}.; Could you please explain {x}?; What do I need to know about {x}?; Can you answer a question about {x}?;
My question is about {x}.; I need some information about {x}.; Please tell me more about {x}.; Just a question about {x}.;
Can someone explain {x} to me?; I wanted to ask you about {x}.; Is there any information about {x}?; One question about {x}, please.""")
FAILING = words("""There is a problem with {x}.; I have a problem with {x}.; We have trouble with {x}.; Something is wrong with {x}.;
There is an issue with {x}.; I have had trouble with {x} since yesterday.; We still have a problem with {x}.; {x} does not work.;
I want to report a problem with {x}.; There seems to be an issue with {x}.; Once more there is trouble with {x}.; {x} is wrong.;
It does not work: {x}.; We see a problem with {x}.; My problem is {x}.; There is something wrong with {x}.; I am having an issue with {x}.""")
ABOUT = words("""I am writing about {x}.; This is about {x}.; It is about {x}.; I contact you because of {x}.; I write to you about {x}.;
It concerns {x}.; This message is about {x}.; My message is about {x}.; I am contacting you about {x}.; Here is a note about {x}.;
We write because of {x}.; This concerns {x}.; I write because of {x}.; This mail is about {x}.; It has to do with {x}.""")
# Carriers of a whole sentence.
SAYING = words("""{x}!; Hello, {x}.; Hi, {x}.; As I said, {x}.; {x}, as you know.; 
To be short: {x}.; Well, {x}.; 
So {x}.; Good day, {x}.; Hello, this is the thing: {x}.; {x}, as I said.; Dear team, {x}.; You should know: {x}.; One thing: {x}.; This is it: {x}.; Good morning, {x}.; {x}, I think.""")
QUESTIONING = words(
    """Hello, {x}?; Hi, {x}?; One question: {x}?; So {x}?; Good morning, {x}?; May I ask, {x}?; Just this: {x}?; Hello team, {x}?; A short question: {x}?; Good day, {x}?; Well, {x}?; Dear team, {x}?"""
)
FOREIGN_SAYING = {
    "de": words("""Hallo, {x}.; Guten Tag, {x}.; Es geht darum: {x}.; {x}, danke.; Leider so: {x}.; Also {x}.; Guten Morgen, {x}.; Kurz gesagt: {x}.;
    Ich schreibe Ihnen: {x}.; Und {x}."""),
    "es": words("""Hola, {x}.; Buenos días, {x}.; Se trata de esto: {x}.; {x}, gracias.; Pues {x}.; Buenas tardes, {x}.; En resumen: {x}.;
    Les escribo: {x}.; Y {x}."""),
    "fr": words("""Bonjour, {x}.; Bonsoir, {x}.; Voici la chose : {x}.; {x}, merci.; Alors {x}.; Salut, {x}.; En bref : {x}.;
    Je vous écris : {x}.; Et {x}."""),
}
FILLER = {
    "en": words("""I hope you are well.; I have been with you for {n2} years.; I am in {city} this week.; My name is {name}.; I work for {company}.;
    My colleague {name} gave me this address.; We are a small company in {city}.; I live in {city}.; {name} is my colleague.;
    This is {name} from {company}.; I am at {company} in {city}.; We are {n} people here.; {name} told me to write to you.;
    It is {weekday} here.; I found this address with {name}.; We at {company} are {n} people."""),
    "de": words(
        """Ich heiße {name}.; Ich wohne in {city}.; Ich arbeite bei {company}.; Wir sind eine Firma in {city}.; Hier ist {name} von {company}.; Mein Name ist {name}."""
    ),
    "es": words(
        """Me llamo {name}.; Vivo en {city}.; Trabajo en {company}.; Somos una empresa de {city}.; Soy {name} de {company}.; Mi nombre es {name}."""
    ),
    "fr": words(
        """Je m'appelle {name}.; J'habite à {city}.; Je travaille chez {company}.; Nous sommes une société de {city}.; Ici {name} de {company}.; Mon nom est {name}."""
    ),
}
GREETINGS = words(
    """Hello,; Hi,; Hi {name},; Hello {name},; Dear team,; Good morning,; Dear {name},; Hi there,; Hello team,; Dear {company} team,; Good day,; Hey,"""
)
CLOSINGS = words(
    """Regards, {name}; Best, {name}; {name}; Best regards, {name}; Kind regards, {name}; Bye, {name}; Best regards; Yours, {name}; Greetings, {name}; Greetings from {city}, {name}"""
)
FOREIGN_ENDS = {
    "de": words("Viele Grüße, {name}; Grüße, {name}; Mit freundlichen Grüßen, {name}; Bis bald, {name}; Gruß, {name}"),
    "es": words(
        "Saludos, {name}; Un saludo, {name}; Atentamente, {name}; Hasta luego, {name}; Saludos cordiales, {name}"
    ),
    "fr": words(
        "Cordialement, {name}; Salutations, {name}; À bientôt, {name}; Bien à vous, {name}; Bonne journée, {name}"
    ),
}
SUBJECTS = words(
    """Hello; Message from {name}; Request; Your help; {company}; To the team; Please read; Ticket {n}; A message; From {name}; For your team; {name}; Contact; Re: {n}"""
)

# What the sender wants: at most one in a message.
WISHES = {
    "refund": {
        "keys": words("refund; refund request; money back"),
        "described": words("wants the money back; asks for a refund; wants a refund"),
        "says": ("ask|s for a refund", "want|s a refund"),
        "en": words("""please refund the money; I want my money back; I would like a refund; please give me a refund; I ask for a full refund; please refund me {amount};
        send me my money back; I expect a refund of {amount}; I demand a refund; when do I get my money back; can I get a refund;
        please pay the money back; kindly refund my payment; I request a refund; please transfer {amount} back to me; how do I get a refund"""),
        "de": words(
            "bitte erstatten Sie mir das Geld; ich möchte mein Geld zurück; ich verlange eine Rückerstattung; bitte überweisen Sie {amount} zurück; ich will das Geld zurück"
        ),
        "es": words(
            "quiero que me devuelvan el dinero; pido un reembolso; solicito el reembolso de {amount}; quiero mi dinero de vuelta; necesito un reembolso"
        ),
        "fr": words(
            "je veux être remboursé; je demande un remboursement; remboursez-moi {amount}; rendez-moi mon argent; je voudrais un remboursement"
        ),
    },
    "replacement": {
        "keys": words("replacement; exchange; send replacement"),
        "described": words("wants a replacement; asks for an exchange; wants a new item"),
        "says": ("ask|s for a replacement", "want|s a replacement"),
        "en": words("""please send me a replacement; I want a new one instead; I would like a replacement; please replace it; can you send a new one; I need a replacement soon;
        please exchange it for a new one; I ask for a replacement; send me another one instead; can I get a replacement; please send a substitute; I would prefer a replacement"""),
        "de": words(
            "bitte schicken Sie mir Ersatz; ich möchte ein neues Exemplar; bitte ersetzen Sie es; ich brauche Ersatz"
        ),
        "es": words("envíenme un reemplazo; quiero uno nuevo a cambio; necesito un reemplazo; por favor, sustitúyanlo"),
        "fr": words(
            "envoyez-moi un remplacement; je veux un neuf à la place; il me faut un remplacement; merci de le remplacer"
        ),
    },
    "cancel": {
        "keys": words("cancel; cancellation; cancel contract"),
        "described": words("wants to cancel; wants to end a contract; wants to stop"),
        "says": ("want|s to cancel", "cancel|s something"),
        "en": words("""please cancel everything; I want to cancel; I would like to cancel my order; please cancel my order; so I cancel; cancel it, please; I am going to cancel;
        please confirm the cancellation; I cancel my contract; I ask for a cancellation; I no longer want it, please cancel; please stop my order"""),
        "de": words("ich möchte stornieren; bitte stornieren Sie alles; ich will kündigen; bitte kündigen Sie alles"),
        "es": words("quiero cancelar; por favor, cancelen todo; deseo cancelar mi pedido; pido la cancelación"),
        "fr": words("je veux annuler; merci d'annuler tout; je souhaite annuler ma commande; je demande l'annulation"),
    },
    "call": {
        "keys": words("callback; call back; phone call"),
        "described": words("wants a phone call; wants to talk to a person; asks for a call"),
        "says": ("ask|s for a call", "want|s to talk to a person"),
        "en": words("""please call me back; please call me; I want to talk to a real person; can someone call me; please give me a call; let me speak to a human;
        I would like to talk to a manager; I want to speak to an agent; I wait for your call; call me today; please phone me; I prefer a phone call; can I talk to somebody"""),
        "de": words(
            "bitte rufen Sie mich an; ich möchte mit einem Menschen sprechen; ich bitte um Rückruf; rufen Sie mich zurück"
        ),
        "es": words(
            "llámenme, por favor; quiero hablar con una persona; pido que me llamen; quiero hablar con un agente"
        ),
        "fr": words(
            "appelez-moi, s'il vous plaît; je veux parler à une personne; merci de me rappeler; je voudrais parler à un conseiller"
        ),
    },
    "thanks": {
        "keys": words("praise; thanks; thank you"),
        "described": words("says thanks; praises the service; is happy"),
        "says": ("thank|s someone", "praise|s the service"),
        "en": words("""thank you so much for your help; thanks a lot, you were great; your service is excellent; thank you for the quick help; I am very happy with your service;
        many thanks to your team; you did a great job; I am grateful for your support; your team was wonderful; thanks for everything; I really appreciate your help; great work"""),
        "de": words(
            "vielen Dank für die Hilfe; Ihr Service ist ausgezeichnet; tolle Arbeit; herzlichen Dank an Ihr Team"
        ),
        "es": words("muchas gracias por la ayuda; su servicio es excelente; gran trabajo; mil gracias a su equipo"),
        "fr": words(
            "un grand merci pour votre aide; votre service est excellent; beau travail; mille mercis à votre équipe"
        ),
    },
}
PROBLEM = {
    "keys": words("problem; report problem; issue"),
    "described": words("reports a problem; something went wrong; something does not work"),
    "says": ("report|s a problem", "describe|s a problem"),
}
QUESTION = {
    "keys": words("question; information; ask question"),
    "described": words("asks for information; wants to know something; has a question"),
    "says": ("ask|s a question", "ask|s for information"),
}
SPAM = {
    "keys": words("spam; junk; scam"),
    "described": words("unwanted advertising; a scam; junk mail"),
    "says": ("be|~ spam", "be|~ junk"),
}
INTENTS = WISHES | {"problem": PROBLEM, "question": QUESTION, "spam": SPAM}

# What a message may hold besides: sentences, and what is asked about them.
FACTS = {
    "deadline": {
        "says": ("mention|s a deadline", "set|s a deadline"),
        "en": words("""I need it by {weekday}; the deadline is {weekday}; please answer before {weekday}; it must be done by {weekday}; we need it no later than {weekday}; the deadline is at the end of the month;
        please do it by {clock} today; the deadline is on {date}; I need an answer by {date}; it has to be ready before {weekday}; finish it by {weekday}; you have until {weekday}"""),
        "de": words(
            "ich brauche es bis {weekday_de}; die Frist endet am {weekday_de}; bitte antworten Sie bis {weekday_de}; spätestens am {weekday_de}"
        ),
        "es": words(
            "lo necesito antes del {weekday_es}; el plazo termina el {weekday_es}; contesten antes del {weekday_es}; a más tardar el {weekday_es}"
        ),
        "fr": words(
            "il me le faut avant {weekday_fr}; le délai finit {weekday_fr}; répondez avant {weekday_fr}; au plus tard {weekday_fr}"
        ),
    },
    "attachment": {
        "says": ("mention|s an attachment", "refer|s to an attached file"),
        "en": words("""see the attached file; I attached a screenshot; I have attached a photo; please find the document attached; the file is in the attachment; attached is a picture; a screenshot is attached;
        the attached photo shows it; I attach the form; you find the PDF in the attachment; see the attachment; the attached document says it all"""),
        "de": words("siehe Anhang; im Anhang ist ein Foto; ich habe die Datei angehängt; das Dokument ist im Anhang"),
        "es": words("adjunto una foto; vean el archivo adjunto; el documento va adjunto; adjunto el archivo"),
        "fr": words("voir la pièce jointe; une photo est en pièce jointe; le document est joint; je joins le fichier"),
    },
    "phone": {
        "says": ("contain|s a phone number", "give|s a phone number"),
        "en": words(
            """my phone number is {phone}; you can reach me at {phone}; my number is {phone}; phone: {phone}; reach me under {phone}; my mobile number is {phone}; tel. {phone}; my telephone number is {phone}"""
        ),
        "de": words("meine Telefonnummer ist {phone}; Telefon: {phone}; meine Handynummer ist {phone}; Tel. {phone}"),
        "es": words("mi número de teléfono es {phone}; teléfono: {phone}; mi móvil es {phone}; tel. {phone}"),
        "fr": words(
            "mon numéro de téléphone est le {phone}; téléphone : {phone}; mon portable est le {phone}; tél. {phone}"
        ),
    },
    "order": {
        "says": ("contain|s an order number", "give|s an order number"),
        "en": words(
            """my order number is {order}; the order number is {order}; order number: {order}; my customer number is {order}; customer number {order}; the reference number is {order}; reference: {order}; order no. {order}"""
        ),
        "de": words(
            "meine Bestellnummer ist {order}; Kundennummer: {order}; die Bestellnummer lautet {order}; Bestellnummer {order}"
        ),
        "es": words(
            "mi número de pedido es {order}; número de cliente: {order}; el número de pedido es {order}; pedido número {order}"
        ),
        "fr": words(
            "mon numéro de commande est {order}; numéro de client : {order}; le numéro de commande est {order}; commande numéro {order}"
        ),
    },
    "again": {
        "says": ("say|s it is not the first message", "have|^ written before"),
        "en": words("""I already wrote to you last week; this is my third message; I have written twice before; I contacted you before; nobody answered my last message; this is my second mail;
        I still have no answer to my last mail; I already contacted you two times; I wrote about this before; you did not answer my first message"""),
        "de": words(
            "ich habe schon zweimal geschrieben; das ist meine dritte Nachricht; auf meine letzte Mail kam keine Antwort; ich habe Sie schon kontaktiert"
        ),
        "es": words(
            "ya les escribí dos veces; este es mi tercer mensaje; nadie contestó a mi último correo; ya los contacté antes"
        ),
        "fr": words(
            "je vous ai déjà écrit deux fois; c'est mon troisième message; personne n'a répondu à mon dernier mail; je vous ai déjà contacté"
        ),
    },
}
TEAM_ASKS = words("""Which team should handle this?; Which department is responsible?; What is this message about?; Where should this message go?; Choose the right team.;
Route this message.; What is the topic?; Which category fits?; Who should answer this?; Pick the category of the message.; Which team is responsible for this message?;
Which queue should this go to?; What is the main topic of the message?; Classify this message.; Which topic fits best?; Which team should answer?; Topic of the message?;
Choose the category.; Which department should get this message?; What kind of message is this?; Assign the message to a team.; To which team should we send this?;
Which category is right?; Select the department.; Who is responsible?""")
TEAM_IDS = words("team; category; department; route; queue; topic; label; class; type; assign_to")
INTENT_ASKS = words("""What does the sender want?; What is the intent of the message?; Why does this person write?; What does the customer want?; Choose the intent.; Which intent fits best?;
What is the purpose of this message?; What is the reason for the message?; Classify the intent.; Intent of the customer?; What is the customer's goal?; What is the main intent?;
Pick the intent of the message.; Which intent is right?; What does the writer want from us?; What would the customer like?; Why does the customer write?""")
INTENT_IDS = words("intent; purpose; goal; reason; wants; customer_intent; request; aim")
ABOUT_ASKS = words("""Is this about {key}?; Is the message about {key}?; Does the message concern {key}?; The message is about {key}.; Is {key} the topic?; Does this belong to {key}?;
Should the {key} team get this?; Is it about {key}?; Is this a {key} matter?; Does it have to do with {key}?; Check if this is about {key}.; Is {key} the right team?;
Is the main topic {key}?; Should {key} answer this?; The topic is {key}.; Is this a case for {key}?; Does this message belong to {key}?; Decide if it is about {key}.;
Is this message a matter for {key}?; Does the message have to do with {key}?; Is {key} responsible for this?""")
LANGUAGE_ASKS = words("""In which language is the message written?; Which language is this?; Detect the language.; Language of the message?; What language is the text in?;
Which language does the writer use?; Choose the language of the message.; What is the language?; Pick the language.; Identify the language of the message.""")
IS_LANGUAGE = words("""Is the message written in {key}?; Is this {key}?; Is the text in {key}?; The message is in {key}.; Is the language {key}?; Does the writer use {key}?; Is this message in {key}?;
The language is {key}.; Is it written in {key}?; Check if the text is in {key}.""")
LANGUAGES = {
    "en": ("English", "en", "english", "EN"),
    "de": ("German", "de", "german", "DE"),
    "es": ("Spanish", "es", "spanish", "ES"),
    "fr": ("French", "fr", "french", "FR"),
}
