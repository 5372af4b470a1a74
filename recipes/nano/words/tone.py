"""What the tone family asks: names of feelings, ladders of levels, and phrasings."""

from recipes.nano.wording import Fact, Kind, lines, words

SENTIMENT = {
    "positive": Kind(
        words("positive; good; happy; pos; satisfied; favourable; pleased; thumbs up; likes it"),
        words(
            "the writer is happy; praise; a good opinion; good experience; likes it; content or delighted; speaks well of it; mostly praise"
        ),
        plain=True,
    ),
    "negative": Kind(
        words("negative; bad; unhappy; neg; dissatisfied; unfavourable; displeased; thumbs down; dislikes it"),
        words(
            "the writer is unhappy; criticism; a bad opinion; bad experience; dislikes it; disappointed or angry; speaks badly of it; mostly criticism"
        ),
        plain=True,
    ),
    "neutral": Kind(
        words("neutral; neither; indifferent; neu; no opinion; factual; so so; objective"),
        words(
            "neither good nor bad; no feeling shown; only facts; no clear opinion; average; states facts without judging; indifferent"
        ),
        plain=True,
    ),
    "mixed": Kind(
        words("mixed; both; ambivalent; mixed feelings; good and bad; partly; two-sided; pros and cons"),
        words(
            "good and bad things; praise and criticism together; some things liked, others not; both sides; partly happy, partly not"
        ),
        plain=True,
    ),
}
SENTIMENT_IDS = words(
    "sentiment; mood; feeling; opinion; tone; polarity; overall; customer_sentiment; attitude; verdict; review_sentiment; Sentiment; stance"
)
SENTIMENT_ASKS = lines("""
What is the sentiment of the text?
How does the writer feel about it?
Is the opinion good or bad?
Classify the sentiment.
What is the overall opinion of the reviewer?
Which mood does the text express?
Sentiment of the review
Choose the sentiment that fits best.
What does the customer think?
How satisfied does the author sound?
What is the general attitude of the writer?
Judge the tone of the text.
Pick the overall sentiment.
Did the author like it?
What impression does the text give?
Label the feeling of the text.
How is the experience described?
Is this review positive, negative or something else?
""")
NATIVE_SENTIMENT_ASKS = {
    "de": lines(
        "Wie ist die Stimmung des Textes?\nIst die Meinung gut oder schlecht?\nWie findet es die Person?\nWelche Meinung hat der Kunde?"
    ),
    "es": lines(
        "¿Cuál es el sentimiento del texto?\n¿La opinión es buena o mala?\n¿Qué le parece a la persona?\n¿Qué opina el cliente?"
    ),
    "fr": lines(
        "Quel est le sentiment du texte ?\nL'avis est-il bon ou mauvais ?\nQu'en pense la personne ?\nQue pense le client ?"
    ),
}
ASPECT_ASKS = lines("""
What does the writer think of the {aspect}?
How is the {aspect} judged?
Opinion about the {aspect}
What is said about the {aspect}?
Sentiment towards the {aspect}
How did the author like the {aspect}?
How good was the {aspect}, according to the text?
Judge the {aspect} as the writer does.
Was the {aspect} good or bad?
How does the review rate the {aspect}?
""")
ABSENT = Kind(
    words("not mentioned; absent; nothing said; none; not named; missing"),
    words("the text does not speak of it; nothing is said about it; it is not mentioned; no word about it"),
    plain=True,
)
RATING_IDS = words(
    "rating; stars; score; satisfaction; review_score; grade; quality; overall_rating; points; level; Rating"
)
RATING_ASKS = lines("""
How good is the experience described?
How satisfied is the writer?
Rate the satisfaction of the author.
How many stars would this person give?
Overall rating
Score the sentiment from worst to best.
How positive is the text?
What rating fits the review?
How happy is the customer?
On the scale, how good does the author find it?
Estimate the star rating.
How favourable is the review?
Grade the opinion.
""")
# Each ladder: levels from worst to best, and the level of awful, poor, neutral or mixed, good, great.
RATING_LADDERS = (
    (("very bad", "bad", "neither good nor bad", "good", "very good"), (0, 1, 2, 3, 4)),
    (
        (
            "1 star: terrible",
            "2 stars: disappointing",
            "3 stars: average or mixed",
            "4 stars: good",
            "5 stars: excellent",
        ),
        (0, 1, 2, 3, 4),
    ),
    (("hates it", "dislikes it", "indifferent or of two minds", "likes it", "loves it"), (0, 1, 2, 3, 4)),
    (("very unsatisfied", "unsatisfied", "neutral", "satisfied", "very satisfied"), (0, 1, 2, 3, 4)),
    (
        ("extremely negative", "rather negative", "balanced or neutral", "rather positive", "extremely positive"),
        (0, 1, 2, 3, 4),
    ),
    (("negative", "neutral or mixed", "positive"), (0, 0, 1, 2, 2)),
    (("unhappy", "in between", "happy"), (0, 0, 1, 2, 2)),
    (("bad", "so so", "good"), (0, 0, 1, 2, 2)),
    (("a disaster", "bad", "neither good nor bad, or both", "good or great"), (0, 1, 2, 3, 3)),
    (("bad or terrible", "average or mixed", "good", "outstanding"), (0, 0, 1, 2, 3)),
    (("dissatisfied", "not sure", "satisfied"), (0, 0, 1, 2, 2)),
    (("awful", "poor", "fair", "good", "excellent"), (0, 1, 2, 3, 4)),
)
ANGER_IDS = words(
    "anger; frustration; annoyance; anger_level; frustration_level; irritation; upset; emotion; how_angry; temper; Anger"
)
ANGER_ASKS = lines("""
How angry is the writer?
How frustrated is the customer?
Rate the frustration.
Level of anger
How annoyed does the sender sound?
Score the annoyance of the author.
How upset is this person?
How strong is the anger in the text?
Judge how irritated the customer is.
Which level of frustration fits?
Frustration of the customer, from calm to furious
How heated is the message?
""")
ANGER_LADDERS = (
    (("calm", "slightly annoyed", "frustrated", "furious"), (0, 1, 2, 3)),
    (("no anger", "mild annoyance", "clear anger or frustration", "rage"), (0, 1, 2, 3)),
    (("relaxed", "a little irritated", "angry", "enraged, shouting or insulting"), (0, 1, 2, 3)),
    (("not annoyed at all", "somewhat annoyed", "very annoyed", "extremely angry"), (0, 1, 2, 3)),
    (("none", "low", "high", "extreme"), (0, 1, 2, 3)),
    (("calm", "annoyed or frustrated", "furious"), (0, 1, 1, 2)),
    (("calm or only slightly annoyed", "clearly frustrated", "furious"), (0, 0, 1, 2)),
    (("not angry", "a bit angry", "angry or furious"), (0, 1, 2, 2)),
    (("friendly and patient", "mildly unhappy", "upset", "outraged"), (0, 1, 2, 3)),
    (("no frustration", "slight frustration", "strong frustration", "fury"), (0, 1, 2, 3)),
)
ANGER_KINDS = {
    0: Kind(
        words("calm; relaxed; not angry; patient; at ease"),
        words("not upset at all; no anger; calm and patient; takes it easily"),
        plain=True,
    ),
    2: Kind(
        words("frustrated; annoyed; upset; angry; fed up"),
        words("has lost patience; clearly annoyed; tired of it; unhappy and says so"),
        plain=True,
    ),
    3: Kind(
        words("furious; enraged; outraged; livid; extremely angry"),
        words("full of rage; shouts or insults; beyond anger; extremely angry"),
        plain=True,
    ),
}
URGENCY_IDS = words(
    "urgency; priority; how_urgent; time_pressure; urgency_level; prio; speed_needed; importance; due; hurry; Urgency"
)
URGENCY_ASKS = lines("""
How urgent is this?
How soon is help needed?
Rate the urgency.
Urgency of the message
How fast must somebody react?
Which priority should this get by its urgency?
How much time pressure is there?
When does this have to be done?
Score the urgency of the request.
How quickly does the writer need it?
Judge how urgent the request is.
How pressing is the matter?
By its time limit, how urgent is this?
What urgency does the sender state?
""")
NATIVE_URGENCY_ASKS = {
    "de": lines(
        "Wie dringend ist das?\nWie schnell muss reagiert werden?\nWie eilig ist die Anfrage?\nWelche Dringlichkeit hat das?"
    ),
    "es": lines(
        "¿Qué tan urgente es?\n¿Con qué rapidez hay que actuar?\n¿Cuánta prisa tiene?\n¿Qué urgencia tiene el mensaje?"
    ),
    "fr": lines(
        "Est-ce urgent, et à quel point ?\nAvec quelle rapidité faut-il agir ?\nQuel est le degré d'urgence ?\nQuelle urgence a ce message ?"
    ),
}
# Levels of: no hurry, in some weeks, this week, today or tomorrow, at once.
URGENCY_LADDERS = (
    (("no hurry", "in the coming weeks", "this week", "today or tomorrow", "immediately"), (0, 1, 2, 3, 4)),
    (
        ("can wait for ever", "needed within a month", "needed within days", "needed by tomorrow", "emergency"),
        (0, 1, 2, 3, 4),
    ),
    (("no time pressure", "weeks", "days", "hours", "minutes"), (0, 1, 2, 3, 4)),
    (
        ("not urgent: no date", "low: some weeks", "medium: this week", "high: within a day", "critical: at once"),
        (0, 1, 2, 3, 4),
    ),
    (("no hurry, or weeks away", "within this week", "today, tomorrow or at once"), (0, 0, 1, 2, 2)),
    (("can wait", "in the next weeks or days", "by tomorrow", "right now"), (0, 1, 1, 2, 3)),
    (("not urgent", "some days or weeks", "very urgent, a day at most"), (0, 1, 1, 2, 2)),
    (("no deadline at all", "some weeks", "a few days", "a day or less"), (0, 1, 2, 3, 3)),
    (("relaxed, weeks or no limit", "a matter of days", "a matter of hours or minutes"), (0, 0, 1, 2, 2)),
    (("someday", "this month", "this week", "by tomorrow at the latest", "now"), (0, 1, 2, 3, 4)),
)
# Answers for urgency as a choice: no hurry or weeks, this week, tomorrow or at once.
URGENCY_KINDS = {
    "low": Kind(
        words("low; can wait; not urgent; no hurry; later; minor"),
        words("no hurry or weeks away; can wait; no time pressure; weeks of time"),
        plain=True,
    ),
    "medium": Kind(
        words("medium; normal; this week; moderate; soon; standard"),
        words("within some days; this week; a few days at most; should be done this week"),
        plain=True,
    ),
    "high": Kind(
        words("high; urgent; very urgent; immediate; critical; asap"),
        words(
            "today, tomorrow or at once; hours count; must be done now or by tomorrow; an emergency or due within a day"
        ),
        plain=True,
    ),
}
MANNERS_IDS = words("politeness; manners; courtesy; tone; civility; polite_level; style; Politeness; wording")
MANNERS_ASKS = lines("""
How polite is the message?
Rate the politeness.
How courteous is the writer?
Politeness of the text
Judge the manners of the sender.
How friendly is the wording?
Is the tone rude or polite?
Score the courtesy of the text.
How well-mannered does the author sound?
""")
MANNERS_LADDERS = (
    (("rude", "neutral", "polite"), (0, 1, 2)),
    (("insulting", "plain, neither rude nor polite", "courteous"), (0, 1, 2)),
    (("impolite or insulting", "curt or neutral", "very polite"), (0, 1, 2)),
    (("disrespectful", "matter-of-fact", "respectful and kind"), (0, 1, 2)),
    (("offensive", "short and dry", "friendly, says please and thank you"), (0, 1, 2)),
)
FACTS = {
    "satisfied": Fact(
        words("satisfied; is_satisfied; happy; positive; customer_happy; is_positive; liked_it; isPositive; content"),
        lines("""
        be|~ satisfied
        be|~ happy with it
        like|s it
        Is the customer satisfied?
        Is the text positive?
        speak|s well of it
        Is the overall opinion positive?
        -The writer is not satisfied.
        be|~ content
        have|^ a good opinion of it
        express|es satisfaction
        Did this person have a good experience?
        The review is positive.
        """),
        {
            "de": lines(
                "Ist der Kunde zufrieden?\nIst die Meinung positiv?\nGefällt es der Person?\nIst der Text positiv?"
            ),
            "es": lines(
                "¿Está satisfecho el cliente?\n¿La opinión es positiva?\n¿Le gusta a la persona?\n¿Es positivo el texto?"
            ),
            "fr": lines(
                "Le client est-il satisfait ?\nL'avis est-il positif ?\nCela plaît-il à la personne ?\nLe texte est-il positif ?"
            ),
        },
    ),
    "unhappy": Fact(
        words("unhappy; negative; dissatisfied; is_negative; disappointed; bad_review; isNegative; criticism"),
        lines("""
        be|~ dissatisfied
        be|~ unhappy with it
        dislike|s it
        Is the text negative?
        Is the overall opinion negative?
        speak|s badly of it
        be|~ disappointed or worse
        The review is negative.
        Is this a bad review?
        Did this person have a bad experience?
        -The writer is not disappointed.
        express|es displeasure
        """),
        {
            "de": lines(
                "Ist der Kunde unzufrieden?\nIst die Meinung negativ?\nIst die Person enttäuscht?\nIst der Text negativ?"
            ),
            "es": lines(
                "¿Está insatisfecho el cliente?\n¿La opinión es negativa?\n¿Está decepcionada la persona?\n¿Es negativo el texto?"
            ),
            "fr": lines(
                "Le client est-il mécontent ?\nL'avis est-il négatif ?\nLa personne est-elle déçue ?\nLe texte est-il négatif ?"
            ),
        },
    ),
    "urgent": Fact(
        words("urgent; is_urgent; time_critical; needs_fast_reply; rush; isUrgent; high_priority; immediate"),
        lines("""
        need|s help today, tomorrow or at once
        Is this urgent?
        be|~ in a hurry
        Must somebody act within a day?
        need|s a very fast reaction
        The matter is urgent.
        Does it have to be done at once or by tomorrow?
        -This can wait for a week.
        Urgent?
        ask|s for very quick help
        Is there great time pressure?
        """),
        {
            "de": lines(
                "Ist das dringend?\nMuss sehr schnell reagiert werden?\nEilt die Sache?\nBraucht die Person bis morgen oder sofort Hilfe?"
            ),
            "es": lines(
                "¿Es urgente?\n¿Hay que actuar muy rápido?\n¿Hay mucha prisa?\n¿Se necesita ayuda hoy, mañana o ya?"
            ),
            "fr": lines(
                "Est-ce urgent ?\nFaut-il agir très vite ?\nEst-ce pressé ?\nFaut-il de l'aide d'ici demain ou tout de suite ?"
            ),
        },
    ),
    "angry": Fact(
        words("angry; is_angry; frustrated; upset; customer_angry; isAngry; escalate; heated"),
        lines("""
        be|~ angry or very frustrated
        be|~ upset
        sound|s angry
        Is the customer angry?
        Is the writer fed up or furious?
        show|s anger
        The sender is angry.
        -The writer is calm.
        Has the sender lost patience?
        be|~ really annoyed
        Should someone calm this customer down?
        """),
        {
            "de": lines(
                "Ist der Kunde verärgert?\nIst die Person wütend?\nKlingt die Nachricht zornig?\nIst der Absender sauer?"
            ),
            "es": lines(
                "¿Está enfadado el cliente?\n¿Está furiosa la persona?\n¿Suena enfadado el mensaje?\n¿Ha perdido la paciencia?"
            ),
            "fr": lines(
                "Le client est-il en colère ?\nLa personne est-elle fâchée ?\nLe message semble-t-il furieux ?\nA-t-on perdu patience ?"
            ),
        },
    ),
    "rude": Fact(
        words("rude; is_rude; insulting; offensive; abusive; isRude; bad_manners"),
        lines("""
        be|~ rude
        insult|s somebody
        Is the text rude or insulting?
        use|s rude words
        The message is offensive.
        Is the writer impolite?
        -The message is free of insults.
        Does the text contain an insult?
        """),
    ),
    "polite": Fact(
        words("polite; is_polite; courteous; friendly_tone; isPolite; good_manners"),
        lines("""
        be|~ polite
        thank|s for the help or asks kindly
        Is the message polite?
        ask|s politely
        The writer is courteous.
        Is the tone friendly and polite?
        -There is nothing polite in the message.
        Does the text say please or thank you in a friendly way?
        """),
    ),
}
