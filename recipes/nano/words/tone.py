"""What the tone family says and asks. Words with meaning are shared by all splits, carriers and phrasings are not."""

from recipes.nano.wording import words

# Adjectives and whole sentences of five strengths, from awful to great.
ADJECTIVES = (
    words("""terrible; horrible; awful; disgusting; a disaster; a nightmare; dreadful; the worst; appalling; unacceptable; a total disaster;
    absolutely terrible; really horrible; useless; pathetic; atrocious; garbage; an absolute joke; unusable; miserable"""),
    words("""disappointing; poor; weak; mediocre; unpleasant; below average; rather poor; a bit disappointing; slightly annoying; not so good;
    a little slow; somewhat weak; not very good; lacking; underwhelming; subpar; rather unpleasant; a letdown; a bit cheap; inconvenient"""),
    words("""average; okay; ordinary; standard; acceptable; so-so; neither good nor bad; nothing special; as expected; normal; just okay; usual;
    medium; unremarkable; fair; passable; adequate; middling"""),
    words("""good; nice; pleasant; solid; decent; quite good; comfortable; reliable; useful; pretty good; friendly; tidy; satisfying; likeable; handy;
    rather nice; fine and reliable; enjoyable; helpful; quite pleasant"""),
    words("""wonderful; excellent; fantastic; amazing; outstanding; perfect; superb; brilliant; magnificent; incredible; awesome; absolutely amazing;
    exceptional; phenomenal; the best; really fantastic; first class; flawless; stunning; marvellous"""),
)
SAID = (
    words("""I hate it; never again; a complete waste of money; I regret buying it; stay away; avoid this at all costs; the worst purchase of my life; total rubbish; zero stars;
    I want nothing more to do with it; it ruined my day; do not buy this; it is a scandal; worst experience ever; complete garbage; I am disgusted; they should be ashamed"""),
    words("""I am a bit disappointed; I expected more; it could be better; I am not very happy with it; not really worth the price; I would not buy it a second time; sadly it has weak points; it did not meet my expectations;
    it leaves much to be desired; I am rather unhappy; it lacks quality; I was hoping for more; somewhat of a letdown; I am not satisfied; too expensive for what it is"""),
    words("""it is okay; it does its job; nothing special; neither good nor bad; I have no strong opinion; it is what it is; it works as described; I feel neutral about it; it is average; I use it sometimes;
    it is as expected; not much to say about it; it is an ordinary one; I have mixed feelings; it is fine, no more and no less"""),
    words("""I like it; I am happy with it; I am satisfied; it works well; good value for money; I would buy it again; I am pleased with it; I enjoyed it; it is worth the price; a good choice; it does the job well;
    I am content with it; it was a good buy; I had a nice time; overall a good experience; glad I chose it"""),
    words("""I love it; I am thrilled; best purchase ever; it exceeded all my expectations; five stars; I absolutely love it; simply the best; highly recommended; I could not be happier; it changed my life; a dream come true;
    I am delighted; everyone should have one; I am blown away; a masterpiece; best experience ever; total perfection"""),
)
FOREIGN_SAID = {
    "de": (
        words(
            "es ist furchtbar; absolut schrecklich; nie wieder; reine Geldverschwendung; eine Katastrophe; das Schlimmste überhaupt; grauenhaft; ein Albtraum; völlig unbrauchbar; ich hasse es"
        ),
        words(
            "ich bin enttäuscht; es könnte besser sein; eher schwach; leider mangelhaft; unter meinen Erwartungen; nicht besonders gut; ich hatte mehr erwartet; etwas unangenehm"
        ),
        words(
            "es ist in Ordnung; nichts Besonderes; weder gut noch schlecht; durchschnittlich; ganz normal; wie erwartet; mittelmäßig; so lala"
        ),
        words(
            "es gefällt mir; ich bin zufrieden; ganz gut; eine gute Wahl; angenehm und nett; es funktioniert gut; ich mag es; sein Geld wert"
        ),
        words(
            "es ist fantastisch; ich bin begeistert; einfach perfekt; ausgezeichnet; hervorragend; ich liebe es; das Beste überhaupt; wunderbar; großartig; absolut genial"
        ),
    ),
    "es": (
        words(
            "es terrible; es horrible; nunca más; una pérdida de dinero; un desastre; lo peor de todo; una pesadilla; pésimo; un asco; lo odio"
        ),
        words(
            "estoy decepcionado; podría ser mejor; algo flojo; por debajo de lo esperado; no muy bueno; esperaba más; un poco desagradable; bastante pobre"
        ),
        words(
            "está normal; nada especial; ni bueno ni malo; regular; como esperaba; del montón; es corriente; ni fu ni fa"
        ),
        words(
            "me gusta; estoy satisfecho; bastante bueno; una buena compra; agradable y útil; funciona bien; estoy contento; vale la pena"
        ),
        words(
            "es fantástico; me encanta; simplemente perfecto; excelente; maravilloso; estoy encantado; lo mejor de todo; increíble; espectacular; una maravilla"
        ),
    ),
    "fr": (
        words(
            "c'est horrible; c'est affreux; plus jamais; une perte d'argent; une catastrophe; le pire de tout; un cauchemar; épouvantable; totalement inutilisable; je le déteste"
        ),
        words(
            "je suis déçu; ça pourrait être mieux; plutôt faible; en dessous de mes attentes; pas très bon; je m'attendais à plus; un peu désagréable; assez médiocre"
        ),
        words(
            "c'est correct; rien de spécial; ni bon ni mauvais; moyen; comme prévu; ordinaire; c'est banal; sans plus"
        ),
        words(
            "ça me plaît; je suis satisfait; plutôt bien; un bon achat; agréable et utile; ça marche bien; je suis content; ça vaut le prix"
        ),
        words(
            "c'est fantastique; je l'adore; tout simplement parfait; excellent; merveilleux; je suis ravi; le meilleur de tous; incroyable; génial; une merveille"
        ),
    ),
}
ASPECTS = {
    "food": words("food; breakfast; coffee; pizza; soup; dinner; menu; dessert; meal"),
    "staff": words("staff; waiter; support team; receptionist; service; teacher; seller; customer service"),
    "price": words("price; cost; fee; bill; value; subscription price"),
    "delivery": words("delivery; shipping; packaging; parcel; courier; delivery time"),
    "quality": words("quality; material; build; finish; fabric; workmanship"),
    "room": words("room; bed; bathroom; view; hotel room; balcony"),
    "battery": words("battery; charger; battery life; charging"),
    "display": words("screen; display; picture; image; resolution"),
    "sound": words("sound; music; volume; speaker; bass; microphone"),
}
THINGS = words(
    """lamp; hotel; restaurant; phone; laptop; app; book; film; course; jacket; bike; tent; cafe; museum; headset; game; chair; printer; camera; bag"""
)
# A thing or aspect and how it is: the carriers of adjectives.
JUDGING = words("""The {x} is {a}.; The {x} was {a}.; I find the {x} {a}.; I think the {x} is {a}.; The {x} here is {a}.; This {x} is {a}.; The {x} turned out to be {a}.; For me the {x} is {a}.;
The {x} seems {a} to me.; In my opinion the {x} is {a}.; We found the {x} {a}.; The {x} we had was {a}.; My {x} was {a}.; The {x}? It is {a}.; I must say the {x} is {a}.; To me the {x} was {a}.; {a}, that is what the {x} is.;
Overall the {x} was {a}.; We think the {x} was {a}.; I would say the {x} is {a}.; As for the {x}, it was {a}.; All in all the {x} is {a}.""")
OPINING = words("""Honestly, {x}.; {x}, really.; After {n2} weeks: {x}.; All in all, {x}.; {x}!; In short, {x}.; To be honest, {x}.; Well, {x}.; {x}, that is my opinion.; For me, {x}.; I must say, {x}.;
What can I say: {x}.; As for me, {x}.; {x}, I must say.; My opinion: {x}.; I think: {x}.; To be short: {x}.""")
FACTUAL = {
    "en": words("""I bought it in May.; I went there with {name}.; We stayed for {n2} days.; The shop is in {city}.; It was a gift from {name}.; I bought it for {name}.; I ordered it {n2} weeks ago.; It is from {company}.;
    We were there on {weekday}.; I have had it for {n2} months.; {name} was with me.; I bought it in {city}.; We were {n2} people."""),
    "de": words(
        "Ich habe es im Mai gekauft.; Der Laden liegt in {city}.; Ich war mit {name} dort.; Es ist von {company}.; Es ist für {name}."
    ),
    "es": words("Lo compré en mayo.; La tienda está en {city}.; Fui con {name}.; Es de {company}.; Es para {name}."),
    "fr": words(
        "Je l'ai acheté en mai.; Le magasin est à {city}.; J'y suis allé avec {name}.; Il est de {company}.; C'est pour {name}."
    ),
}
# What a mail is about, told without a feeling.
MATTERS = {
    "en": words("""I am writing about order {order}.; It is about my {product}.; This is about the {product} from {company}.; I write about the form from {company}.; It is about the document for {name}.;
    This concerns number {order}.; It concerns the {product} for {name}.; I am writing about the list for {company}.; This is about the visit in {city}.; It is about the file of {name}.; This is about my request {order}.;
    I write about the meeting with {name}."""),
    "de": words(
        "Es geht um Nummer {order}.; Es geht um das Dokument für {name}.; Ich schreibe wegen der Liste von {company}.; Es betrifft den Besuch in {city}.; Es geht um die Akte von {name}."
    ),
    "es": words(
        "Se trata del número {order}.; Es sobre el documento de {name}.; Escribo por la lista de {company}.; Es sobre la visita a {city}.; Se trata del caso de {name}."
    ),
    "fr": words(
        "Il s'agit du numéro {order}.; C'est au sujet du document de {name}.; J'écris pour la liste de {company}.; Il s'agit de la visite à {city}.; C'est pour le dossier de {name}."
    ),
}
ANGER = {
    "en": (
        words(
            """no problem at all; I am not upset; it is no big deal; do not worry about it; I am quite relaxed about it; these things happen; no hard feelings; I understand that mistakes happen; it does not bother me; take it easy"""
        ),
        words(
            """this is a bit annoying; I am slightly annoyed; I am a little disappointed; it is somewhat frustrating; I am a bit unhappy about this; that is rather irritating; I am not too pleased; it is a little frustrating; this bothers me a bit; I am mildly irritated"""
        ),
        words(
            """I am angry; I am really angry about this; I am very upset; this makes me mad; I am fed up; I have had enough; this is unacceptable; I am very annoyed; how can you treat customers like this; I am losing my patience; this is really frustrating; I am sick of this; I am very dissatisfied"""
        ),
        words(
            """I am furious; I am absolutely furious; this is an outrage; you are complete idiots; I am boiling with rage; I have never been so furious; this is a damn disgrace; I am enraged; you are crooks and liars; I am livid; this is outrageous; I will never forgive you"""
        ),
    ),
    "de": (
        words("kein Problem; das macht nichts; alles halb so wild; ich bin nicht böse"),
        words("das ist etwas ärgerlich; ich bin leicht genervt; das stört mich ein bisschen; etwas frustrierend"),
        words("ich bin wütend; ich bin sehr verärgert; mir reicht es; das ist inakzeptabel"),
        words("ich bin stinksauer; eine Unverschämtheit; ich koche vor Wut; Sie sind Betrüger"),
    ),
    "es": (
        words("no hay problema; no pasa nada; no estoy molesto; no se preocupen"),
        words("es un poco molesto; estoy algo irritado; me fastidia un poco; algo frustrante"),
        words("estoy enfadado; estoy muy molesto; estoy harto; esto es inaceptable"),
        words("estoy furioso; es una vergüenza; estoy lleno de rabia; son unos ladrones"),
    ),
    "fr": (
        words("aucun problème; ce n'est pas grave; je ne suis pas fâché; ne vous inquiétez pas"),
        words("c'est un peu agaçant; je suis légèrement agacé; cela me gêne un peu; un peu frustrant"),
        words("je suis en colère; je suis très fâché; j'en ai assez; c'est inacceptable"),
        words("je suis furieux; c'est une honte; je suis fou de rage; vous êtes des escrocs"),
    ),
}
URGENCY = {
    "en": (
        words(
            """there is no hurry; no rush; take your time; it can wait; whenever you have time; this is not urgent; there is plenty of time; no hurry at all; any time is fine; it is not time-critical; just when it suits you; low priority for us"""
        ),
        words(
            """please reply in the next days; a reply this week would be good; please look at it in the coming days; I would like an answer soon; sometime this week is fine; please handle it in the normal way; it should be done this week; an answer in a few days is enough; medium priority for us; please do it soon"""
        ),
        words(
            """this is urgent; please answer as soon as possible; I need it urgently; please hurry; this is very urgent; please reply quickly; high priority for us; I need help asap; please handle this with priority; time is short; we need a quick answer; it is pressing; please act fast"""
        ),
        words(
            """this is an emergency; we need help immediately; everything has stopped; drop everything and help us right now; every minute counts; we are losing money every minute; it is critical; help us at once; lives are in danger; total standstill here; act immediately; emergency, all is down; right now, no delay"""
        ),
    ),
    "de": (
        words("es eilt nicht; keine Eile; lassen Sie sich Zeit; das kann warten"),
        words(
            "bitte antworten Sie in den nächsten Tagen; diese Woche reicht; bitte bald erledigen; in ein paar Tagen genügt"
        ),
        words("es ist dringend; bitte so schnell wie möglich; es eilt sehr; bitte beeilen Sie sich"),
        words("es ist ein Notfall; wir brauchen sofort Hilfe; alles steht still; jede Minute zählt"),
    ),
    "es": (
        words("no hay prisa; tómense su tiempo; puede esperar; cuando tengan tiempo"),
        words("contesten en los próximos días; esta semana está bien; háganlo pronto; en unos días basta"),
        words("es urgente; lo antes posible; corre mucha prisa; dense prisa, por favor"),
        words("es una emergencia; necesitamos ayuda de inmediato; todo está parado; cada minuto cuenta"),
    ),
    "fr": (
        words("rien ne presse; prenez votre temps; cela peut attendre; quand vous aurez le temps"),
        words(
            "répondez dans les prochains jours; cette semaine suffit; faites-le bientôt; dans quelques jours, c'est bien"
        ),
        words("c'est urgent; le plus vite possible; cela presse beaucoup; dépêchez-vous"),
        words(
            "c'est une urgence absolue; il nous faut de l'aide immédiatement; tout est à l'arrêt; chaque minute compte"
        ),
    ),
}
MANNERS = {
    "en": (
        words(
            """you idiots; what a stupid company; shut up and do your job; are you stupid; you fools; only morons work there; get lost; you are a bunch of clowns; do your damn job; you useless people; use your brain for once; what an idiot you are"""
        ),
        words(
            """send it; tell me; let me know; I wait for the answer; I want it back; it has to change; that is all; answer me; give it to me; I expect an answer"""
        ),
        words(
            """would you kindly help me; thank you in advance; I would be very grateful; please be so kind; many thanks for your kind help; I kindly ask you; that would be very kind; I appreciate your effort; with many thanks; if you would be so kind; thank you for your patience; it would be lovely of you; I am grateful for any help"""
        ),
    ),
    "de": (
        words("Sie Idioten; so eine dumme Firma; halten Sie den Mund; seid ihr blöd"),
        words("schicken Sie es; sagen Sie es mir; ich warte; geben Sie Bescheid"),
        words(
            "ich wäre Ihnen sehr dankbar; vielen Dank im Voraus; wären Sie so freundlich; herzlichen Dank für Ihre Mühe"
        ),
    ),
    "es": (
        words("son unos idiotas; qué empresa tan estúpida; cállense; son unos inútiles"),
        words("envíenlo; díganmelo; espero; quiero saberlo"),
        words("les estaría muy agradecido; muchas gracias de antemano; si son tan amables; agradezco mucho su ayuda"),
    ),
    "fr": (
        words("bande d'idiots; quelle entreprise stupide; fermez-la; vous êtes des imbéciles"),
        words("envoyez-le; dites-le moi; j'attends; je veux le savoir"),
        words(
            "je vous serais très reconnaissant; merci beaucoup d'avance; auriez-vous la gentillesse; je vous remercie de votre aide"
        ),
    ),
}
# Carriers of a feeling.
FEELING = words("""{x}!; And {x}.; To be clear, {x}.; I tell you: {x}.; So {x}.; Well, {x}.; Just so you know, {x}.; One more thing: {x}.; {x}, I must say.; As I said, {x}.; Now {x}.; You should know: {x}.;
I have to say, {x}.; Honestly, {x}.; By the way, {x}.; Let me say it: {x}.""")
SENTIMENT = {
    "negative": {
        "keys": words("negative; bad; unhappy; neg; dissatisfied"),
        "described": words("the writer is unhappy; a bad opinion; bad experience; dislikes it; criticism"),
    },
    "neutral": {
        "keys": words("neutral; neither; average; neu; okay"),
        "described": words("neither good nor bad; no strong opinion; average; it is okay"),
    },
    "positive": {
        "keys": words("positive; good; happy; pos; satisfied"),
        "described": words("the writer is happy; a good opinion; good experience; likes it; praise"),
    },
}
SENTIMENT_IDS = words("sentiment; mood; feeling; opinion; tone; attitude; verdict; review_sentiment")
SENTIMENT_ASKS = words("""What is the sentiment?; What is the sentiment of the review?; How does the writer feel?; Is the opinion good or bad?; Classify the sentiment.; What is the opinion of the writer?; Which mood does the text have?;
Choose the sentiment.; What is the overall opinion?; How does the customer feel about it?; Sentiment of the text?; Which sentiment fits best?; What does the writer think of it?; How does the reviewer feel?; Pick the sentiment of the text.;
What is the tone of the review?; What is the feeling of the writer?""")
RATING_IDS = words("rating; stars; score; sentiment_score; satisfaction; stars_given; review_score")
RATING_ASKS = words("""How many stars would the writer give?; Rate the sentiment.; How good is the opinion?; How satisfied is the writer?; Score the review.; How happy is the customer?; What rating fits the review?; How positive is the text?;
Rate the review.; How well does the writer like it?; How satisfied is the customer?; Score the sentiment of the text.; How positive is the review?; Which rating fits best?; Rate the opinion of the writer.; How happy is the writer with it?""")
# Levels from lowest to highest, and the level of each strength.
RATING_LADDERS = (
    (("very negative", "negative", "neutral", "positive", "very positive"), (0, 1, 2, 3, 4)),
    (("terrible", "bad", "okay", "good", "excellent"), (0, 1, 2, 3, 4)),
    (("1 star", "2 stars", "3 stars", "4 stars", "5 stars"), (0, 1, 2, 3, 4)),
    (("very unhappy", "unhappy", "neutral", "happy", "very happy"), (0, 1, 2, 3, 4)),
    (("negative", "neutral", "positive"), (0, 0, 1, 2, 2)),
    (("bad", "okay", "good"), (0, 0, 1, 2, 2)),
    (("unhappy", "neutral", "happy"), (0, 0, 1, 2, 2)),
    (("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"), (0, 1, 2, 3, 4)),
    (("dissatisfied", "neutral", "satisfied"), (0, 0, 1, 2, 2)),
)
ANGER_IDS = words("anger; anger_level; frustration; angry_level; mood; irritation; annoyance")
ANGER_ASKS = words("""How angry is the customer?; How angry is the writer?; Rate the anger.; What is the level of anger?; How upset is the sender?; Score the anger of the writer.; How angry is the message?; How upset is the customer?;
Which level of anger fits?; Rate how angry the sender is.; How annoyed is the writer?; What is the anger level of the message?; How angry does the sender sound?; Choose the level of anger.""")
ANGER_LADDERS = (
    (("calm", "annoyed", "angry", "furious"), (0, 1, 2, 3)),
    (("not angry", "slightly angry", "angry", "very angry"), (0, 1, 2, 3)),
    (("calm", "annoyed", "angry"), (0, 1, 2, 2)),
    (("no anger", "some anger", "strong anger"), (0, 1, 2, 2)),
    (("not upset", "slightly upset", "upset", "extremely upset"), (0, 1, 2, 3)),
)
URGENCY_IDS = words("urgency; priority; urgency_level; how_urgent; severity; Priority")
URGENCY_ASKS = words("""How urgent is this?; How urgent is the message?; What is the priority?; Rate the urgency.; Which priority fits?; What is the urgency of the message?; Score the urgency.; How fast must we answer?; How quickly is help needed?;
Choose the priority.; Which level of urgency fits?; How urgent is the request?; What priority should this have?; Rate the priority of the message.; How soon must we act?""")
URGENCY_LADDERS = (
    (("low", "medium", "high", "critical"), (0, 1, 2, 3)),
    (("not urgent", "normal", "urgent", "emergency"), (0, 1, 2, 3)),
    (("low", "medium", "high"), (0, 1, 2, 2)),
    (("not urgent", "normal", "urgent"), (0, 1, 2, 2)),
    (("can wait", "soon", "urgent", "immediately"), (0, 1, 2, 3)),
    (("low priority", "normal priority", "high priority", "critical priority"), (0, 1, 2, 3)),
)
MANNERS_IDS = words("politeness; manners; courtesy; tone; style; polite_level")
MANNERS_ASKS = words("""How polite is the message?; How polite is the writer?; Rate the politeness.; What is the tone of the message?; Score the politeness of the writer.; Which level of politeness fits?; How friendly is the message?; How polite is the sender?;
Rate the manners of the sender.; How polite does the writer sound?; Choose the level of politeness.; What is the level of politeness?""")
MANNERS_LADDERS = (
    (("rude", "neutral", "polite"), (0, 1, 2)),
    (("impolite", "neutral", "polite"), (0, 1, 2)),
    (("rude", "neutral", "friendly"), (0, 1, 2)),
    (("insulting", "neutral", "very polite"), (0, 1, 2)),
)
ASPECT_IDS = words("aspect; topic; about; part; subject; reviewed_part")
ASPECT_ASKS = words("""What is the review about?; Which aspect does the review mention?; What does the writer talk about?; Which part is meant?; Choose the aspect.; What is judged in the text?; Which aspect fits best?; What is the topic of the review?;
Pick the aspect of the review.; What does the customer speak of?; Which aspect is the text about?; What is mentioned in the review?""")
# Statements about a text: `like|s it` is "does ... like it", "likes it".
FACTS = {
    "positive": ("be|~ positive", "be|~ happy", "recommend|s it"),
    "negative": ("be|~ negative", "be|~ unhappy", "complain|s"),
    "angry": ("be|~ angry", "sound|s angry"),
    "urgent": ("be|~ urgent", "sound|s urgent"),
    "polite": ("be|~ polite", "be|~ friendly"),
    "rude": ("be|~ rude", "sound|s rude"),
}
