"""What the routing family asks: topics with names and belongings, facts with phrasings, and small sentences."""

from recipes.nano.wording import Fact, Kind, lines, words

KINDS = {
    "billing": Kind(
        words(
            "billing; finance; payments; invoices; accounting; accounts receivable; billing and payments; payment; bookkeeping; charges"
        ),
        words("""invoices; payments; double charges; wrong amounts; receipts; credit cards; payment methods; overdue bills;
        tax numbers; bank transfers; billing addresses; declined cards; payment reminders; unexpected charges"""),
    ),
    "technical": Kind(
        words(
            "technical; technical support; tech support; bugs; engineering; tech; it support; bug report; product support; technical issue"
        ),
        words("""bugs; crashes; error messages; software problems; broken features; installation; app errors; slow pages;
        API failures; set-up help; technical faults; sync problems; problems with the software; updates that break things"""),
    ),
    "shipping": Kind(
        words(
            "shipping; delivery; logistics; shipment; deliveries; orders and delivery; transport; shipping and delivery; parcels"
        ),
        words("""late parcels; lost packages; tracking; delivery dates; couriers; delivery addresses; shipping costs; customs;
        where the order is; shipments; deliveries; orders on their way; carriers; parcels that did not arrive"""),
    ),
    "account": Kind(
        words(
            "account; login; account access; accounts; access; account and login; user accounts; authentication; sign in; identity"
        ),
        words("""passwords; login problems; locked accounts; user names; verification codes; user profiles; access rights;
        two-factor login; signing in; new users; password resets; changing the email address; single sign-on"""),
    ),
    "sales": Kind(
        words(
            "sales; pre sales; quotes; sales inquiry; new business; purchase; commercial; buying; sales lead; orders and quotes"
        ),
        words("""quotes; prices; offers; demos; new customers; purchases; discounts for large orders; licences to buy; trials;
        plans and pricing; people who want to buy; price lists; upgrades to larger plans"""),
    ),
    "legal": Kind(
        words("legal; privacy; legal and privacy; data protection; compliance; legal department; contracts; gdpr; law"),
        words("""contracts; personal data; privacy; data deletion; lawyers; terms and conditions; data protection law; consent;
        agreements to be signed; trademarks; court orders; data processing; legal claims"""),
    ),
    "hr": Kind(
        words(
            "hr; human resources; people; personnel; staff; people team; recruiting and hr; employees; people operations"
        ),
        words("""vacation; payroll; salaries; sick leave; job applications; employees; working hours; recruiting; payslips;
        parental leave; employment contracts; training of staff; new hires; overtime; open positions"""),
    ),
    "returns": Kind(
        words(
            "returns; returns and exchanges; exchange; warranty; return; damaged goods; product returns; replacements"
        ),
        words("""returned items; exchanges; damaged goods; wrong items; return labels; warranty; defective products; replacements;
        sending things back; broken products; items that do not fit; missing parts; faulty goods"""),
    ),
    "spam": Kind(
        words("spam; junk; junk mail; unwanted; advertising; scam; spam or scam; ads; unsolicited"),
        words("""unwanted advertising; scams; junk mail; fake prizes; mass mails; get-rich-quick offers; dubious offers; fraud;
        unsolicited ads; lottery winnings; cheap pills; messages nobody asked for; casino ads"""),
    ),
    "feedback": Kind(
        words(
            "feedback; suggestions; praise; customer feedback; ideas; product feedback; comments; feature request; compliments"
        ),
        words("""praise; suggestions; ideas for improvement; compliments; wishes for new features; thanks; opinions; comments;
        feature requests; kind words; proposals; happy customers"""),
    ),
    "security": Kind(
        words(
            "security; it security; security incident; infosec; cybersecurity; incident response; abuse; security team"
        ),
        words("""hacked accounts; phishing; vulnerabilities; data leaks; suspicious logins; malware; lost devices; attacks;
        stolen passwords; viruses; intruders; security holes; unknown access"""),
    ),
    "cancellation": Kind(
        words(
            "cancellation; cancellations; retention; cancel subscription; contract end; churn; termination; leaving customers"
        ),
        words("""cancelled subscriptions; ended contracts; terminated memberships; customers who leave; notice periods;
        ending a plan; stopping the renewal; people who want to cancel; the end of a contract"""),
    ),
    "partnership": Kind(
        words(
            "partnerships; press; partners; media; public relations; press and partners; communications; marketing; cooperation"
        ),
        words("""journalists; interviews; sponsoring; resellers; joint projects; press kits; conferences; cooperation; partners;
        articles about the company; media requests; distributors; trade fairs"""),
    ),
    "facilities": Kind(
        words(
            "facilities; office management; facility management; building; office; maintenance; house services; workplace"
        ),
        words("""heating; rooms; furniture; keys; parking spaces; cleaning; office supplies; lights; doors and windows;
        elevators; repairs in the building; water leaks; the office building"""),
    ),
    "scheduling": Kind(
        words(
            "scheduling; appointments; reservations; bookings; booking; reception; calendar; front desk; appointment"
        ),
        words("""appointments; reservations; tables; free dates; booked rooms; moving a visit; waiting lists; bookings;
        guided tours; postponed meetings; making an appointment; dates and times"""),
    ),
    "product_info": Kind(
        words(
            "product information; product questions; product advice; product info; catalogue; product details; pre purchase advice"
        ),
        words("""materials; sizes; colours; product details; features of a product; weights; spare parts; ingredients;
        how a product is used; technical data; measurements; what fits what"""),
    ),
}
CONFLICTS = {
    frozenset(pair.split())
    for pair in lines("""
    account security
    technical security
    sales product_info
    sales partnership
    sales scheduling
    shipping returns
    billing returns
    billing cancellation
    account legal
    security legal
    spam security
    spam sales
    spam partnership
    spam billing
    spam account
    cancellation account
    cancellation legal
    cancellation returns
    product_info technical
    product_info returns
    feedback product_info
    feedback partnership
    """)
}
OTHER_KEYS = words(
    "other; general; something else; miscellaneous; none; other topics; general inquiry; anything else; unclear"
)
OTHER_TEXTS = words("""everything else; none of the others fits; anything that fits nowhere else; all other topics; no other option fits;
    the rest; if nothing else applies; topics not named here""")
KINDS_AND_OTHER = KINDS | {"other": Kind(OTHER_KEYS, OTHER_TEXTS, plain=True)}
NATIVE_KEYS = {
    "de": {
        "billing": "Rechnung",
        "technical": "Technik",
        "shipping": "Versand",
        "account": "Konto",
        "sales": "Vertrieb",
        "returns": "Rückgabe",
        "hr": "Personal",
        "legal": "Datenschutz",
        "cancellation": "Kündigung",
        "spam": "Werbung",
        "feedback": "Lob und Ideen",
        "scheduling": "Termine",
    },
    "es": {
        "billing": "facturación",
        "technical": "soporte técnico",
        "shipping": "envíos",
        "account": "cuenta",
        "sales": "ventas",
        "returns": "devoluciones",
        "hr": "personal",
        "legal": "privacidad",
        "cancellation": "cancelación",
        "spam": "publicidad",
        "feedback": "sugerencias",
    },
    "fr": {
        "billing": "facturation",
        "technical": "support technique",
        "shipping": "livraison",
        "account": "compte",
        "sales": "ventes",
        "returns": "retours",
        "hr": "personnel",
        "legal": "données personnelles",
        "cancellation": "résiliation",
        "spam": "publicité",
        "feedback": "suggestions",
    },
}
NATIVE_ASK = {
    "de": lines("""Welches Team ist zuständig?
    Worum geht es in der Nachricht?
    Wohin gehört diese Anfrage?
    Welche Abteilung soll antworten?
    Wähle das passende Thema.
    An wen soll die Nachricht gehen?"""),
    "es": lines("""¿Qué equipo debe responder?
    ¿De qué trata el mensaje?
    ¿A qué departamento va esta consulta?
    ¿Cuál es el tema principal?
    Elige la categoría correcta.
    ¿Quién debe recibir este mensaje?"""),
    "fr": lines("""Quelle équipe doit répondre ?
    De quoi parle le message ?
    À quel service envoyer cette demande ?
    Quel est le sujet principal ?
    Choisis la bonne catégorie.
    Qui doit recevoir ce message ?"""),
}
TEAM_IDS = words("""team; category; department; route; queue; topic; routing; destination; assign_to; owner_team; ticket_type; label; class;
    group; inbox; target; forward_to; subject_area; issue_type; handler; main_topic; Category; routeTo; bucket""")
TEAM_ASKS = lines("""
Which team should handle this message?
Which department is responsible?
What is the message about?
Route this ticket.
Pick the team that should answer.
Where should this ticket go?
Which category fits best?
What is the main topic of the message?
Who should take care of this request?
Choose the right queue.
Assign the message to a team.
Classify the ticket by topic.
To which inbox should the mail be forwarded?
Sort this mail into one of the folders.
Which of these describes the request best?
What does the writer want help with?
Select the category of the request.
Which group should get this ticket?
What kind of request is this?
Best matching category
Decide which team gets the ticket.
Label the message with its topic.
Which desk handles this?
What is the customer's main concern?
Forward this to the right department.
Find the team that can help the sender.
Topic of the message
What is this mainly about?
Who should answer this?
Which team should reply to the customer?
Which label fits this request?
Choose the department that can solve this.
Pick one category for the ticket.
Which area does this issue belong to?
Into which queue does this message go?
Give the ticket to the team that is responsible for it.
""")
INTENTS = {
    "problem": Kind(
        words("report problem; problem; complaint; issue; something is wrong; report an issue; problem report"),
        words(
            "reports that something went wrong; describes a problem; complains about a fault; tells about a failure; something does not work; a complaint"
        ),
        plain=True,
    ),
    "refund": Kind(
        words("refund; request refund; refund request; money back; wants refund; get refund"),
        words("wants the money back; asks for a refund; a payment shall be paid back; claims money; demands repayment"),
        plain=True,
    ),
    "cancel": Kind(
        words("cancel; cancel subscription; cancellation; end contract; wants to leave; terminate contract"),
        words(
            "wants to end a contract; cancels a subscription; stops a membership; terminates a plan; wants to leave; no renewal"
        ),
        plain=True,
    ),
    "praise": Kind(
        words("praise; thanks; compliment; positive feedback; thank you; kudos"),
        words(
            "says thanks; praises the product; gives a compliment; is happy and says so; good words about the service"
        ),
        plain=True,
    ),
    "question": Kind(
        words("question; ask question; information; information request; inquiry; wants information"),
        words(
            "asks for information; wants to know something; asks how something works; a simple question; needs an answer"
        ),
        plain=True,
    ),
    "spam": Kind(
        words("spam; junk; advertising; scam; unwanted"),
        words("unwanted advertising; a scam; junk mail; a dubious offer; fake prizes; nobody asked for this"),
        plain=True,
    ),
}
INTENT_IDS = words(
    "intent; purpose; wants; goal; reason; customer_intent; request_kind; user_goal; action_wanted; aim; contact_reason; Intent"
)
INTENT_ASKS = lines("""
What does the sender want?
What is the intent of the message?
Why does this person write?
What is the purpose of this message?
Choose the intent.
Which intent fits best?
What is the reason for contacting us?
What is the user's goal?
Classify the intent of the customer.
What would the writer like to achieve?
Intent of the writer
What is the customer trying to do?
""")
LANGUAGE_IDS = words("language; lang; written_in; message_language; locale; detected_language; Language; tongue")
LANGUAGE_ASKS = lines("""
In which language is the message written?
Which language is this?
Detect the language of the text.
What language does the writer use?
Language of the message
Identify the language.
Pick the language of the mail.
The text is written in which language?
""")
LANGUAGES = {
    "en": ("English", "en", "english", "EN", "eng"),
    "de": ("German", "de", "german", "DE", "Deutsch"),
    "es": ("Spanish", "es", "spanish", "ES", "Español"),
    "fr": ("French", "fr", "french", "FR", "Français"),
    "it": ("Italian", "it", "italian", "IT", "Italiano"),
    "pt": ("Portuguese", "pt", "portuguese", "PT", "Português"),
    "nl": ("Dutch", "nl", "dutch", "NL", "Nederlands"),
}
ABOUT = (
    "Is the {state} about {key}?",
    "Is this about {key} ({a}, {b}, {c})?",
    "Does the {state} deal with {key}?",
    "The {state} is about {key} (such as {a} or {b}).",
    "The topic is {key}.",
    "Does this concern {key}, for example {a} or {b}?",
    "Should the {key} team get this {state}?",
    "Is this a {key} matter?",
    "Does this belong to {key}?",
    "Is {key} the right team for this {state}?",
    "True if the {state} is mainly about {key}.",
    "This is a case for the {key} team, which takes care of {a}, {b} and {c}.",
    "Does the sender write because of {key} ({a} and the like)?",
    "Check whether the {state} is about {key}: {a}, {b} or the like.",
    "Is {key} the main topic?",
    "Forward to {key}?",
    "Should {key} answer this?",
    "The {state} has to do with {key}.",
)

FACTS = {
    "refund": Fact(
        words(
            "refund; refund_requested; wants_refund; asks_refund; needs_refund; money_back; is_refund_request; refundRequested"
        ),
        lines("""
        ask|s for a refund
        want|s money back
        request|s a refund
        demand|s repayment
        Is a refund requested?
        Does the sender want their money back?
        want|s to be refunded
        Refund requested?
        ask|s for the money to be paid back
        The sender wants a refund.
        claim|s a refund
        -No refund is asked for.
        """),
        {
            "de": lines(
                "Wird eine Erstattung verlangt?\nMöchte die Person ihr Geld zurück?\nSoll Geld erstattet werden?\nWird Geld zurückverlangt?"
            ),
            "es": lines(
                "¿Se pide un reembolso?\n¿Quiere que le devuelvan el dinero?\n¿Pide la persona su dinero?\n¿Se solicita la devolución del dinero?"
            ),
            "fr": lines(
                "Un remboursement est-il demandé ?\nLe client veut-il être remboursé ?\nDemande-t-on un remboursement ?\nVeut-on récupérer l'argent ?"
            ),
        },
        (
            ("asks for money back", "does not ask for money back"),
            ("A refund is requested.", "No refund is requested."),
            ("yes", "no"),
        ),
    ),
    "problem": Fact(
        words(
            "problem; is_problem; complaint; is_complaint; reports_problem; something_wrong; issue_reported; has_issue; isComplaint"
        ),
        lines("""
        report|s a problem
        complain|s about something
        describe|s something that went wrong
        Is this a complaint?
        say|s that something does not work or went wrong
        Did something go wrong for the sender?
        tell|s about a failure, a mistake or damage
        point|s out a mistake
        Is a problem reported?
        The sender has a problem.
        have|^ a problem with the product or the service
        -Nothing went wrong; the sender only asks or informs.
        mention|s a fault
        The message is a complaint.
        """),
        {
            "de": lines(
                "Ist das eine Beschwerde?\nWird ein Problem gemeldet?\nIst etwas schiefgegangen?\nBeschwert sich der Kunde?"
            ),
            "es": lines("¿Es una queja?\n¿Se informa de un problema?\n¿Algo ha salido mal?\n¿Se queja el cliente?"),
            "fr": lines(
                "Est-ce une plainte ?\nUn problème est-il signalé ?\nQuelque chose s'est-il mal passé ?\nLe client se plaint-il ?"
            ),
        },
    ),
    "question": Fact(
        words("question; is_question; asks_question; has_question; contains_question; needs_answer; hasQuestion"),
        lines("""
        ask|s a question
        contain|s a question
        Is a question asked?
        Is there a question in the text?
        put|s a question
        want|s to know something
        There is at least one question in the text.
        -There is no question in the text.
        ask|s something
        Question asked?
        """),
        {
            "de": lines(
                "Wird eine Frage gestellt?\nEnthält die Nachricht eine Frage?\nStellt die Person eine Frage?\nGibt es eine Frage im Text?"
            ),
            "es": lines(
                "¿Se hace una pregunta?\n¿Contiene el mensaje una pregunta?\n¿Hay una pregunta en el texto?\n¿Pregunta algo la persona?"
            ),
            "fr": lines(
                "Une question est-elle posée ?\nLe message contient-il une question ?\nY a-t-il une question dans le texte ?\nLa personne pose-t-elle une question ?"
            ),
        },
    ),
    "deadline": Fact(
        words("deadline; has_deadline; names_deadline; due_date; time_limit; deadline_given; hasDeadline"),
        lines("""
        name|s a deadline
        give|s a date or time by which an answer is needed
        set|s a deadline
        Is a deadline named?
        Is there a time limit?
        mention|s a time limit
        say|s by when it is needed
        A deadline is given.
        Does the text say by when something must be done?
        -No deadline is named.
        Deadline mentioned?
        """),
        {
            "de": lines(
                "Wird eine Frist genannt?\nGibt es einen Termin, bis zu dem es erledigt sein muss?\nNennt die Nachricht eine Frist?\nIst eine Frist gesetzt?"
            ),
            "es": lines(
                "¿Se indica un plazo?\n¿Hay una fecha límite?\n¿Menciona el mensaje un plazo?\n¿Se da una fecha límite?"
            ),
            "fr": lines(
                "Une date limite est-elle donnée ?\nY a-t-il un délai ?\nLe message indique-t-il un délai ?\nFixe-t-on une date limite ?"
            ),
        },
        (("a deadline is given", "no deadline is given"), ("There is a time limit.", "There is no time limit.")),
    ),
    "order": Fact(
        words(
            "order_number; has_order_number; has_reference; number_given; order_id_present; reference_given; hasOrderNumber"
        ),
        lines("""
        give|s an order or reference number
        mention|s an order number
        contain|s a reference number
        Is an order or invoice number given?
        Is there an order number in the text?
        name|s the number of the order, invoice or contract
        A reference number is given.
        -The order or reference number is missing.
        state|s a number by which the case can be found
        Reference number present?
        """),
        {
            "de": lines(
                "Wird eine Bestellnummer oder Rechnungsnummer genannt?\nSteht eine Nummer der Bestellung im Text?\nIst eine Vorgangsnummer angegeben?\nNennt die Nachricht eine Bestellnummer?"
            ),
            "es": lines(
                "¿Se da un número de pedido o factura?\n¿Hay un número de pedido en el texto?\n¿Menciona un número de referencia?\n¿Se indica el número del pedido?"
            ),
            "fr": lines(
                "Un numéro de commande ou de facture est-il donné ?\nY a-t-il un numéro de commande dans le texte ?\nIndique-t-on un numéro de référence ?\nLe numéro de la commande est-il donné ?"
            ),
        },
    ),
    "threat": Fact(
        words("churn_risk; threatens_to_leave; threat; wants_to_leave; may_cancel; leaving; churn; threatensToCancel"),
        lines("""
        threaten|s to cancel
        threaten|s to leave
        say|s that they will go to another company if nothing changes
        Is there a risk that this customer leaves?
        announce|s to cancel unless the problem is solved
        Does the customer threaten to quit?
        warn|s that they will cancel
        consider|s leaving for a competitor
        The customer threatens to cancel.
        Churn risk?
        -The sender does not threaten to leave.
        """),
        {
            "de": lines(
                "Droht der Kunde mit Kündigung?\nWird mit einem Wechsel zu einem anderen Anbieter gedroht?\nWill der Kunde vielleicht gehen?\nDroht die Person zu kündigen?"
            ),
            "es": lines(
                "¿Amenaza con darse de baja?\n¿Amenaza el cliente con irse?\n¿Dice que cambiará de empresa?\n¿Hay riesgo de perder al cliente?"
            ),
            "fr": lines(
                "Le client menace-t-il de résilier ?\nMenace-t-il de partir ?\nLe client dit-il qu'il changera de fournisseur ?\nRisque-t-on de perdre ce client ?"
            ),
        },
    ),
    "human": Fact(
        words("wants_human; human_requested; speak_to_person; escalate_to_human; call_back; needs_agent; wantsHuman"),
        lines("""
        ask|s to speak to a person
        want|s to talk to a human
        request|s a call from a human
        Does the sender want to speak with a real person?
        Is a human agent asked for?
        ask|s for a person instead of a machine
        want|s somebody to call
        A conversation with a human is requested.
        -The sender does not ask to talk to a person.
        wish|es to speak with a member of staff
        """),
        {
            "de": lines(
                "Möchte die Person mit einem Menschen sprechen?\nWird um einen Anruf gebeten?\nWird ein Mitarbeiter verlangt?\nWill der Kunde mit jemandem reden?"
            ),
            "es": lines(
                "¿Quiere hablar con una persona?\n¿Pide que le llamen?\n¿Pide hablar con un empleado?\n¿Quiere el cliente hablar con alguien?"
            ),
            "fr": lines(
                "Veut-on parler à une personne ?\nDemande-t-on un appel ?\nLe client veut-il parler à quelqu'un ?\nDemande-t-il un conseiller ?"
            ),
        },
    ),
    "again": Fact(
        words("contacted_before; repeat_contact; follow_up; wrote_before; is_followup; repeated; isFollowUp"),
        lines("""
        say|s that they contacted us before
        mention|s an earlier message or call
        Did the customer write or call about this before?
        Is this a repeated contact?
        refer|s to an earlier request
        Has the sender already contacted support?
        The customer wrote before.
        -This is the first contact about the matter, as far as the text says.
        remind|s us of an earlier message
        Is this a follow-up?
        """),
    ),
    "attachment": Fact(
        words("attachment; has_attachment; mentions_attachment; file_attached; attachments; hasAttachment"),
        lines("""
        mention|s an attachment
        say|s that something is attached
        Is something attached?
        refer|s to an attached file
        An attachment is mentioned.
        come|s with a file, picture or document
        -Nothing is attached.
        Does the text speak of an attachment?
        """),
    ),
    "phone": Fact(
        words("phone_given; has_phone; phone_number; contact_number; callback_number; hasPhone"),
        lines("""
        give|s a phone number
        contain|s a phone number
        Is a phone number given?
        A phone number is in the text.
        leave|s a number to call
        -No phone number is given.
        Can the sender be called with what the text says?
        name|s a telephone number
        """),
    ),
    "spam": Fact(
        words("spam; is_spam; junk; is_scam; unwanted; isSpam; is_junk"),
        lines("""
        be|~ spam
        be|~ junk or a scam
        Is this spam?
        Is this message unwanted advertising or a scam?
        This is spam.
        look|s like spam
        Spam?
        -This is a real request, not spam.
        Should this go to the spam folder?
        be|~ unwanted advertising
        """),
        {
            "de": lines(
                "Ist das Spam?\nIst die Nachricht unerwünschte Werbung?\nHandelt es sich um Betrug oder Werbung?\nGehört das in den Spam-Ordner?"
            ),
            "es": lines(
                "¿Es spam?\n¿Es publicidad no deseada?\n¿Es una estafa o publicidad?\n¿Va esto a la carpeta de spam?"
            ),
            "fr": lines(
                "Est-ce du spam ?\nEst-ce de la publicité non désirée ?\nEst-ce une arnaque ou de la publicité ?\nFaut-il mettre ce message dans le spam ?"
            ),
        },
        (
            ("junk, advertising or scam", "a real request"),
            ("spam", "not spam"),
            ("unwanted message", "genuine message"),
        ),
    ),
    "cancel": Fact(
        words("wants_cancel; cancellation; cancel_requested; cancel; is_cancellation; cancelRequested"),
        lines("""
        want|s to cancel a subscription or contract
        ask|s for the end of a contract
        Is a cancellation requested?
        cancel|s something
        want|s to end a contract, plan or membership
        Does the sender wish to end a subscription?
        The sender wants to cancel.
        -No cancellation is requested.
        request|s a cancellation
        """),
    ),
    "praise": Fact(
        words("praise; is_praise; positive_feedback; compliment; thanks_us; isPraise"),
        lines("""
        praise|s the product, the service or somebody
        give|s a compliment
        Is this praise?
        say|s something nice about the company
        Is the sender happy and says so?
        express|es praise
        -There is no praise in the text.
        The text is a compliment.
        """),
    ),
}
EXTRAS = {
    "refund": {
        "en": lines("""
        Please refund me.
        I want my money back.
        I ask for a full refund.
        Please transfer the money back to my account.
        Kindly refund the full amount.
        I expect the {amount} to be paid back.
        Can I get my money back?
        I would like to be refunded for this.
        Please give me a refund of {amount}.
        A refund would be the right thing now.
        """),
        "de": lines(
            "Bitte erstatten Sie mir den Betrag.\nIch möchte mein Geld zurück.\nIch verlange eine Erstattung.\nBitte überweisen Sie mir das Geld zurück.\nIch bitte um Rückzahlung von {amount}."
        ),
        "es": lines(
            "Quiero que me devuelvan el dinero.\nPido el reembolso completo.\nDevuélvanme el dinero, por favor.\nPor favor, reembolsen los {amount}.\nSolicito la devolución del dinero."
        ),
        "fr": lines(
            "Je veux être remboursé.\nJe demande le remboursement complet.\nMerci de me rembourser.\nRendez-moi mon argent, s'il vous plaît.\nMerci de rembourser les {amount}."
        ),
    },
    "no_refund": {
        "en": lines("""
        I do not need a refund, only an explanation.
        I don't want my money back, just a solution.
        No refund needed, I only want this to be put right.
        This is not about money, I just want it solved.
        A refund is not necessary.
        I am not asking for a refund.
        """),
        "de": lines(
            "Eine Erstattung brauche ich nicht.\nIch will kein Geld zurück, nur eine Lösung.\nEs geht mir nicht um das Geld.\nGeld zurück möchte ich nicht."
        ),
        "es": lines(
            "No necesito un reembolso.\nNo quiero dinero, solo una solución.\nNo se trata del dinero.\nNo pido que me devuelvan el dinero."
        ),
        "fr": lines(
            "Je n'ai pas besoin d'un remboursement.\nJe ne veux pas d'argent, juste une solution.\nCe n'est pas une question d'argent.\nJe ne demande pas de remboursement."
        ),
    },
    "deadline": {
        "en": lines("""
        I need [this|an answer|a solution] by {when}.
        Please [reply|answer|get back to me] by {when}.
        It must be done before {when}.
        My deadline is {when}.
        Please take care of it no later than {when}.
        I must have it until {when}.
        We need this {when} at the latest.
        The last possible day for us is {when}.
        Please finish it before {when}.
        I can only wait until {when}.
        """),
        "de": lines(
            "Ich brauche [das|eine Antwort] bis {when}.\nBitte antworten Sie bis {when}.\nEs muss bis spätestens {when} erledigt sein.\nDie Frist ist {when}.\nWir brauchen es vor {when}."
        ),
        "es": lines(
            "Lo necesito antes del {when}.\nPor favor, respondan antes del {when}.\nTiene que estar listo para el {when}.\nLa fecha límite es el {when}.\nNecesito una respuesta hasta el {when}."
        ),
        "fr": lines(
            "J'en ai besoin avant le {when}.\nMerci de répondre avant le {when}.\nIl faut que ce soit fait pour le {when}.\nLa date limite est le {when}.\nIl me faut une réponse d'ici le {when}."
        ),
    },
    "no_deadline": {
        "en": lines("""
        There is no hurry.
        Take your time.
        No rush on my side.
        It is not urgent.
        Whenever you find the time is fine.
        This can wait.
        """),
        "de": lines("Es eilt nicht.\nLassen Sie sich Zeit.\nDas hat Zeit.\nEs ist nicht dringend."),
        "es": lines("No hay prisa.\nTómense su tiempo.\nNo es urgente.\nPuede esperar."),
        "fr": lines("Rien ne presse.\nPrenez votre temps.\nCe n'est pas urgent.\nCela peut attendre."),
    },
    "order": {
        "en": lines("""
        My order number is {order}.
        Order {order}.
        It is about order {order}.
        Reference: {order}.
        You find it under number {order}.
        The invoice number is {order}.
        Case number {order}.
        My customer reference is {order}.
        The order in question is {order}.
        Contract {order}.
        """),
        "de": lines(
            "Meine Bestellnummer ist {order}.\nEs geht um die Bestellung {order}.\nRechnungsnummer: {order}.\nVorgang {order}.\nMeine Kundennummer lautet {order}."
        ),
        "es": lines(
            "Mi número de pedido es {order}.\nSe trata del pedido {order}.\nNúmero de factura: {order}.\nReferencia {order}.\nMi número de cliente es {order}."
        ),
        "fr": lines(
            "Mon numéro de commande est {order}.\nIl s'agit de la commande {order}.\nNuméro de facture : {order}.\nRéférence {order}.\nMon numéro de client est {order}."
        ),
    },
    "threat": {
        "en": lines("""
        If this is not solved, I will cancel my [subscription|contract|account].
        Otherwise I will [go|switch|move] to [a competitor|another company|another provider].
        One more mistake and I am [gone|out of here].
        I am thinking about leaving you.
        Fix it or I will quit.
        If this happens again, you lose a customer.
        I will take my business elsewhere if nothing changes.
        If I hear nothing, I cancel everything.
        We are ready to change the provider if this goes on.
        Should this not get better, I will end my contract.
        """),
        "de": lines(
            "Wenn das nicht gelöst wird, kündige ich.\nSonst wechsle ich zu einem anderen Anbieter.\nNoch ein Fehler und ich bin weg.\nIch denke daran, zu kündigen.\nWenn nichts passiert, verlieren Sie mich als Kunden."
        ),
        "es": lines(
            "Si no lo solucionan, me doy de baja.\nSi no, me voy a otra empresa.\nOtro error más y me voy.\nEstoy pensando en cambiar de compañía.\nSi esto sigue así, pierden un cliente."
        ),
        "fr": lines(
            "Si ce n'est pas réglé, je résilie.\nSinon je pars chez un autre fournisseur.\nEncore une erreur et je m'en vais.\nJe pense à partir.\nSi cela continue, vous perdez un client."
        ),
    },
    "loyal": {
        "en": lines("""
        I have been a customer for {n2} years and want to stay one.
        I am a loyal customer and plan to remain one.
        I like your company and will stay with you.
        Of course I stay with you.
        I do not want to leave, I only want this settled.
        """),
        "de": lines(
            "Ich bin seit {n2} Jahren Kunde und möchte es bleiben.\nIch bleibe Ihnen treu.\nIch möchte natürlich Kunde bleiben.\nWechseln will ich nicht."
        ),
        "es": lines(
            "Soy cliente desde hace {n2} años y quiero seguir siéndolo.\nMe quedo con ustedes.\nQuiero seguir siendo cliente.\nNo pienso irme."
        ),
        "fr": lines(
            "Je suis client depuis {n2} ans et je veux le rester.\nJe reste chez vous.\nJe veux rester client.\nJe ne veux pas partir."
        ),
    },
    "human": {
        "en": lines("""
        I want to talk to a [real person|human being|human].
        Please let me speak to [somebody|a person|an agent].
        Can a human please answer this?
        Please have somebody call me.
        No more bots, give me a person.
        I would like to speak with a member of your staff.
        Could somebody phone me about it?
        Connect me with a human agent.
        I'd rather talk to a person than to a machine.
        Please put me through to a colleague.
        """),
        "de": lines(
            "Ich möchte mit einem Menschen sprechen.\nBitte rufen Sie mich an.\nVerbinden Sie mich mit einem Mitarbeiter.\nKein Chatbot bitte, ich will mit jemandem reden.\nKann mich jemand anrufen?"
        ),
        "es": lines(
            "Quiero hablar con una persona.\nPor favor, llámenme.\nPásenme con un empleado.\nNo quiero un robot, quiero hablar con alguien.\n¿Me puede llamar alguien?"
        ),
        "fr": lines(
            "Je veux parler à une personne.\nMerci de m'appeler.\nPassez-moi un conseiller.\nPas de robot, je veux parler à quelqu'un.\nQuelqu'un peut-il m'appeler ?"
        ),
    },
    "no_human": {
        "en": lines("""
        A short answer by mail is enough.
        You need not call me, mail is fine.
        An automatic reply is fine for me.
        Please answer by email.
        Just write back.
        """),
        "de": lines(
            "Eine kurze Antwort per Mail genügt.\nBitte nicht anrufen, schreiben reicht.\nBitte antworten Sie schriftlich.\nEine Mail reicht mir."
        ),
        "es": lines(
            "Basta una respuesta por correo.\nNo hace falta llamar, escriban.\nRespondan por escrito, por favor.\nCon un correo es suficiente."
        ),
        "fr": lines(
            "Une réponse par mail suffit.\nPas besoin d'appeler, écrivez-moi.\nRépondez par écrit, merci.\nUn mail me suffit."
        ),
    },
    "again": {
        "en": lines("""
        This is the [second|third|fourth] time I [write|contact you] about this.
        I already wrote to you [twice|last week|several times] and got no answer.
        I called your hotline before, without result.
        Following up on my earlier mail.
        As I said in my last message, nothing has happened.
        I am still waiting for a reply to my earlier message.
        You did not answer my first mail.
        I spoke with your colleague about this already.
        """),
    },
    "attachment": {
        "en": lines("""
        I have attached a [screenshot|photo|copy].
        Please see the attached [picture|file|document].
        A screenshot is attached.
        The attachment shows what I mean.
        Attached you find the [details|paperwork|form].
        See attachment.
        """),
    },
    "phone": {
        "en": lines("""
        My phone number is {phone}.
        You can reach me at {phone}.
        Phone: {phone}
        My number: {phone}.
        I am available under {phone}.
        Tel. {phone}
        """),
    },
}
SMALL_TALK = {
    "en": lines("""
    I hope you are well.
    I hope you had a nice weekend.
    The weather here in {city} is lovely at the moment.
    Sorry for my bad English.
    I am writing from my phone.
    My name is {name}.
    I am a customer from {city}.
    I have been using your service for {n2} years.
    My wife and I run a small shop in {city}.
    I work for {company}.
    It took me a while to find this address.
    I am not sure if this is the right place.
    I hope this reaches the right person.
    My colleague {name} told me to write to you.
    Greetings from sunny {city}.
    I write on behalf of {company}.
    It is {weekday} evening and I am just back from work.
    We moved to {city} in spring.
    I am {n} years old.
    Sorry to bother you.
    My neighbour recommended you.
    Let me explain.
    I found this address on your website.
    I am new here.
    First of all, hello to everybody.
    We are a small team of {n2} people.
    Just a short message.
    I looked at the help pages first.
    """),
    "de": lines(
        "Ich hoffe, es geht Ihnen gut.\nIch heiße {name}.\nIch bin Kunde aus {city}.\nIch schreibe im Auftrag von {company}.\nHoffentlich bin ich hier richtig.\nSchöne Grüße aus {city}.\nIch hoffe, Sie hatten ein schönes Wochenende.\nWir sind ein kleines Team."
    ),
    "es": lines(
        "Espero que estén bien.\nMe llamo {name}.\nSoy cliente de {city}.\nEscribo en nombre de {company}.\nNo sé si escribo al lugar correcto.\nSaludos desde {city}.\nEspero que hayan pasado un buen fin de semana.\nSomos un equipo pequeño."
    ),
    "fr": lines(
        "J'espère que vous allez bien.\nJe m'appelle {name}.\nJe suis un client de {city}.\nJ'écris au nom de {company}.\nJe ne sais pas si c'est la bonne adresse.\nBien le bonjour de {city}.\nJ'espère que vous avez passé un bon week-end.\nNous sommes une petite équipe."
    ),
}
# topic it speaks of -> sentences that mention it in passing
ASIDES = {
    "shipping": lines(
        "The last parcel came quickly, by the way.\nThe delivery itself was on time.\nThe courier was on time, no trouble there.\nShipping was fine."
    ),
    "billing": lines(
        "The invoice is already paid.\nThe payment went through without trouble.\nBilling is fine, that is not the point.\nThe bill was correct."
    ),
    "account": lines(
        "Logging in works fine.\nMy password is fine and I can sign in.\nMy account works as it should.\nI can log in without trouble."
    ),
    "technical": lines(
        "The app itself runs without errors.\nThe website works well.\nThere are no technical problems at all.\nThe software runs fine."
    ),
    "feedback": lines(
        "Otherwise I like your products.\nApart from that everything is fine.\nOverall I am content with your company.\nYou have a nice website."
    ),
    "sales": lines(
        "I do not want to buy anything.\nPlease do not send me any offers.\nWe have no need for another licence.\nI am not looking for a new product."
    ),
}
GREETINGS = {
    "en": words(
        "Hi,; Hello,; Dear team,; Hi there,; Good morning,; Hello team,; Dear Sir or Madam,; Hey,; Good afternoon,; To whom it may concern,; Hi all,; Dear {name},"
    ),
    "de": words("Hallo,; Guten Tag,; Sehr geehrte Damen und Herren,; Hallo zusammen,; Guten Morgen,; Liebes Team,"),
    "es": words("Hola,; Buenos días,; Buenas tardes,; Estimado equipo,; Hola a todos,; Muy señores míos,"),
    "fr": words("Bonjour,; Madame, Monsieur,; Bonsoir,; Bonjour à tous,; Chère équipe,; Salut,"),
}
CLOSINGS = {
    "en": words(
        "Thanks, {name}; Best regards, {name}; Kind regards, {name}; Thank you.; Cheers, {name}; Many thanks in advance.; Yours sincerely, {name}; Regards, {name}; {name}; Best, {name}; Thanks!; Have a good day."
    ),
    "de": words(
        "Mit freundlichen Grüßen, {name}; Viele Grüße, {name}; Danke.; Vielen Dank im Voraus.; Beste Grüße, {name}; Gruß, {name}"
    ),
    "es": words(
        "Saludos, {name}; Un saludo, {name}; Gracias.; Muchas gracias de antemano.; Atentamente, {name}; {name}"
    ),
    "fr": words(
        "Cordialement, {name}; Merci d'avance.; Merci, {name}; Bien à vous, {name}; Salutations, {name}; Bonne journée, {name}"
    ),
}
SUBJECTS = {
    "en": words(
        "Request; Question; Help needed; Hello; Message from the contact form; Please help; Your attention please; (no subject); Support request; Inquiry; New message; Re: your service"
    ),
    "de": words("Anfrage; Frage; Bitte um Hilfe; Nachricht; (kein Betreff); Mein Anliegen"),
    "es": words("Consulta; Pregunta; Necesito ayuda; Mensaje; (sin asunto); Solicitud"),
    "fr": words("Demande; Question; Besoin d'aide; Message; (sans objet); Ma demande"),
}
WHEN = {
    "en": words(
        "{weekday}; the end of the week; tomorrow; the 15th of May; June 3; next {weekday}; noon; the 1st of March; tonight; October 12; the end of the month; 5 pm"
    ),
    "de": words(
        "{weekday_de}; Ende der Woche; morgen; zum 15. Mai; nächsten {weekday_de}; zum 3. Juni; heute Abend; Monatsende"
    ),
    "es": words("{weekday_es}; 15 de mayo; próximo {weekday_es}; 3 de junio; fin de mes; 1 de marzo"),
    "fr": words("{weekday_fr}; 15 mai; 3 juin; {weekday_fr} prochain; 1er mars; 30 du mois"),
}
