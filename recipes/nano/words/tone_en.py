"""English words and sentences of the tone family, by strength. Feeling words are not shared out among the splits."""

from recipes.nano.wording import lines, words

# Adjectives for things, from delight to disgust.
GREAT = words("""wonderful; excellent; fantastic; amazing; outstanding; perfect; superb; brilliant; magnificent; flawless; incredible;
    marvellous; splendid; terrific; phenomenal; fabulous; world-class; first-class; absolutely delightful; breathtaking;
    simply the best; spectacular; exceptional; stunning; sublime; extraordinary; awesome; out of this world; top notch;
    beyond all expectations; second to none; impeccable; gorgeous; mind-blowing; the best I have ever seen; glorious""")
GOOD = words("""good; nice; pleasant; fine; solid; decent; quite good; friendly enough; comfortable; reliable; useful; not bad;
    enjoyable; satisfying; neat; tidy; handy; pretty good; well made; as promised; better than I thought; okay and fair;
    likeable; agreeable; sound; practical; helpful; clean and quiet; worth it; quite pleasing; convenient; charming;
    not bad at all; rather nice; well done; thoughtful""")
POOR = words("""disappointing; mediocre; poor; weak; rather bad; not good; a bit dull; unpleasant; unsatisfying; below average;
    not great; annoying; clumsy; too slow; overpriced; cheap looking; boring; sloppy; inconvenient; unreliable; tired;
    not worth the price; worse than expected; stale; bland; noisy; confusing; flimsy; underwhelming; lacking; so badly made;
    not what was promised; rather dirty; not convincing; nothing to be proud of; shabby""")
AWFUL = words("""terrible; horrible; awful; disgusting; a disaster; a nightmare; dreadful; the worst I have ever seen; appalling;
    atrocious; pathetic; a complete failure; utterly useless; a total scam; unbearable; abysmal; catastrophic; revolting;
    a disgrace; horrendous; an insult; ghastly; absolute garbage; complete rubbish; a joke; shocking; hideous; vile;
    an absolute catastrophe; beyond bad; inexcusable; miserable; unacceptable; a rip-off; completely broken; infuriating""")
ASPECTS = words("""food; service; room; battery; screen; staff; price; sound; breakfast; coffee; course; teacher; manual; packaging;
    support; delivery; location; bed; design; camera; keyboard; fabric; taste; smell; atmosphere; music; book; ending;
    story; cast; view; pool; bathroom; parking; waiting time; doctor; reception; guide; tour; app; website; menu; dessert;
    soup; pizza; bread; wine; garden; heating; internet; motor; seat; handle; colour; size; lens; zip; sole; lid; warranty""")
THINGS = words("""lamp; hotel; restaurant; phone; laptop; app; book; film; course; jacket; bike; tent; cafe; museum; headset; game;
    sofa; kettle; bakery; gym; hairdresser; camping site; mattress; vacuum; airline; concert; printer; watch; blender;
    backpack; software; series; workshop; podcast; pair of boots; coat; language school; taxi; train ride; dentist""")
# {aspect} and {adjective} make a sentence of any strength.
ABOUT_ASPECT = lines("""
The {aspect} [was|is] {adjective}.
I found the {aspect} {adjective}.
{Adjective}, that {aspect}.
For me the {aspect} is {adjective}.
About the {aspect}: {adjective}.
We all thought the {aspect} was {adjective}.
The {aspect} turned out to be {adjective}.
What about the {aspect}? Well, {adjective}.
I would call the {aspect} {adjective}.
In my opinion the {aspect} was {adjective}.
The {aspect}? {Adjective}.
My family found the {aspect} {adjective}.
{aspect}: {adjective}
As for the {aspect}, it was {adjective}.
The {aspect} here is {adjective}.
Honestly, the {aspect} was {adjective}.
""")
ABOUT_THING = lines("""
This {thing} is {adjective}.
The {thing} is {adjective}.
All in all the {thing} is {adjective}.
My verdict on the {thing}: {adjective}.
I bought this {thing} in {city} and it is {adjective}.
What a day, the {thing} was {adjective}.
{Adjective}! That is all I can say about this {thing}.
We tried the {thing} last week and it was {adjective}.
My daughter says the {thing} is {adjective}, and I agree.
In one word, this {thing} is {adjective}.
I have used the {thing} for {n2} weeks and find it {adjective}.
The {thing} from {company} is {adjective}.
Overall impression of the {thing}: {adjective}.
To sum up, a {thing} that is {adjective}.
""")
GREAT_SAID = lines("""
I am absolutely thrilled with this [purchase|place|{thing}].
I love it, [love it|simply love it|every single day].
[Best|Greatest] [purchase|decision|{thing}] of [my life|the whole year].
Everything was perfect from start to finish.
I could not be happier.
It could not have been better.
We were blown away, a dream come true.
Five stars are not enough for this {thing}.
I cannot praise this {thing} enough.
Never have I been treated so well, I am overjoyed.
A masterpiece, I recommend it to everybody.
Wow, just wow, this exceeded every expectation.
The team went far beyond what we hoped for, outstanding.
I adore this {thing} and would buy it again at once.
We enjoyed every minute and were sad to leave.
It makes me happy every single time I use it.
Hands down the best {thing} I ever had.
I am in love with this {thing}.
Simply perfect, nothing could be improved.
It works like a dream, I am delighted.
Ten out of ten, with pleasure again.
My children are over the moon about it.
""")
GOOD_SAID = lines("""
I am [satisfied|content|quite happy] with it.
It does what it should.
No complaints so far.
I like it.
Nothing to complain about.
It works well for the price.
We had a nice time.
Not bad, I would come again.
A solid choice for every day.
I would buy it again.
Things went smoothly and I am content.
It is better than the one I had before.
I can recommend it.
The purchase was worth the money.
Good value for money.
It was a pleasant evening.
Happy with the result.
It fits well and feels good.
All fine, thank you.
We felt welcome.
It did the job, I am pleased.
I was in doubt at first, but I like it.
""")
NEUTRAL_SAID = lines("""
I bought it [in May|last week|on {weekday}].
The box contains a {thing} and a cable.
It is neither good nor bad.
It is average, nothing more and nothing less.
The {thing} comes in three colours.
We arrived at noon and left in the evening.
I have no strong opinion about it.
It is made of metal and weighs two kilos.
It is a {thing} like any other.
So so.
The shop is in the centre of {city}.
I used it {n2} times.
Some people will like it and others will not.
It is okay, I suppose.
The package was delivered on {weekday}.
It costs {amount}.
There are {n} seats and two doors.
My brother has the same {thing}.
The manual has {n} pages.
It meets the standard, that is all.
I have not used it enough to judge it.
Neither pleased nor displeased.
""")
POOR_SAID = lines("""
I am [not happy|not satisfied|disappointed] with it.
I expected more.
It does not do what it should.
I would not buy it again.
Not worth the money.
It is not as good as they say.
A pity, I hoped for more.
I cannot recommend it.
We will not come back.
It was a letdown.
I regret buying it a little.
We had to wait too long.
It broke after a few weeks.
The old one was better.
It did not meet our expectations.
Not what I had hoped for.
I do not like it.
It leaves a lot to be desired.
There are better ones for less money.
I was let down by this {thing}.
It feels cheap and does not fit well.
Sadly it does not work well.
""")
AWFUL_SAID = lines("""
I hate this {thing}.
[Worst|The worst] {thing} [ever|of my life|I have ever had].
A complete waste of money, stay away!
Never again!
Zero stars if I could.
I am horrified and disgusted.
It was a nightmare from start to finish.
This {thing} is garbage, avoid it at all costs.
It ruined our whole holiday.
I have never been treated so badly.
Absolute rubbish, it went straight into the bin.
It nearly set my kitchen on fire, a disaster.
Everything that could go wrong went wrong.
I feel cheated and want to warn everybody.
It could not have been worse.
They lied to us and laughed about it.
I regret every cent that I paid for this trash.
A shame that something like this may be sold at all.
We got sick and nobody cared, horrible.
This is the last time that I set foot in there.
Total failure, it never worked for a single day.
One star is still too much for this junk.
""")
BUT = words("but; however,; on the other hand,; yet; still,; that said,; unfortunately or not,; then again,")
# How angry: calm, slightly annoyed, clearly frustrated, furious.
ANGER = (
    lines("""
    Everything is fine so far.
    It is no big deal.
    I am not upset, these things happen.
    No harm done.
    I understand that mistakes happen.
    It is only a small matter.
    I can live with it.
    I am sure there is a simple reason.
    I just wanted to let you know.
    There is no reason to worry.
    I am in no way annoyed.
    Please do not take this as a complaint.
    I am quite relaxed about it.
    I trust you to sort it out.
    I know you are busy and I am patient.
    It can happen to anybody.
    """),
    lines("""
    This is a little annoying.
    I am slightly disappointed.
    It is a bit of a nuisance.
    I am somewhat irritated.
    Not ideal, to be honest.
    That is a bit of a pity.
    I find this a little tiresome.
    It bothers me a bit.
    I had hoped that this would go better.
    A small annoyance, but still.
    It is mildly irritating.
    I am not too pleased about it.
    This is a little inconvenient for me.
    It was slightly unpleasant.
    That was a bit careless.
    I am a tiny bit annoyed.
    """),
    lines("""
    I am very frustrated.
    I am really annoyed by now.
    I am fed up with waiting.
    This is very frustrating.
    I am angry about how this is handled.
    I have lost my patience.
    My patience is running out.
    I am truly disappointed and upset.
    I am tired of explaining it over and over.
    This is not acceptable.
    I am seriously unhappy with your service.
    Why is nobody helping me?
    I have wasted hours on this.
    It really makes me angry.
    I am sick of these excuses.
    I feel ignored and I am upset.
    How often must I ask for this?
    I really expected better from you.
    """),
    lines("""
    I am absolutely furious!
    This is an outrage!
    I am livid!
    I am boiling with rage!
    What a disgrace, I have never been so angry in my life!
    You are a bunch of crooks!
    This is the most outrageous thing I have ever seen!!!
    I am beyond angry, this is a scandal!
    ENOUGH! I have had it with you!
    I could scream, this is a total disgrace!
    How dare you treat people like this!
    I am seething, you have ruined everything!
    Shame on you, you liars!
    I am mad as hell!
    You will hear from my lawyer, you thieves!
    I hate this company with all my heart!
    This is utterly outrageous and I am enraged!
    UNBELIEVABLE! I am exploding with anger!
    """),
)
# How urgent: no hurry, in some weeks, this week, today or tomorrow, at once.
URGENCY = (
    lines("""
    There is no hurry.
    Take all the time you need.
    It is not urgent at all.
    Whenever you have time.
    No rush.
    This can wait.
    It has no priority.
    You need not hurry.
    Just when you get around to it.
    It does not matter when.
    I can wait, take your time.
    No need to hurry at all.
    Some day would be nice, there is no deadline.
    It is just for your information.
    """),
    lines("""
    It should be done [in the next few weeks|within a month|by the end of the month].
    Some time this month is early enough.
    In three or four weeks is fine.
    We need it next month.
    There are still some weeks left until we need it.
    Please plan it for the coming weeks.
    It would be good to have it done before the end of the month.
    We have about a month.
    Next month is soon enough.
    Within the next four weeks, please.
    The date is still three weeks away.
    It is needed in a few weeks.
    """),
    lines("""
    Please take care of it this week.
    I need it by the end of the week.
    In the next two or three days, please.
    We need it before the weekend.
    It should be fixed within a few days.
    Within this week would be good.
    It must be ready in three days.
    Some time this week, please.
    Please do it in the next few days.
    I have to have it before the week is over.
    The end of this week is our limit.
    A few days is all we can wait.
    """),
    lines("""
    I need it [today|tomorrow|by tomorrow].
    Please do it before this evening.
    It must be done by tomorrow morning.
    It has to be solved today.
    My flight leaves tomorrow, so I need it before.
    The meeting is tomorrow and I cannot do without it.
    We need it by tonight.
    Tomorrow will be too late, so please do it today.
    I need an answer until the end of the day.
    The event is tomorrow morning.
    Please finish it today.
    It is needed for tomorrow.
    By the end of today, please.
    We must have it before tomorrow noon.
    """),
    lines("""
    This is an emergency!
    Help, we need you right now!
    Everything is down and nobody can work, please come immediately!
    Please act at once, every minute counts!
    Drop everything and help us now!
    It must be fixed this very minute!
    URGENT: we need help immediately!
    Water is running into the server room right now!
    People are stuck, come at once!
    We are losing money every minute!
    Production has stopped, we need somebody immediately!
    There is smoke, please come right away!
    ASAP, really now, not later!
    Call me immediately, this cannot wait a minute!
    Instant help is needed, all our shops are closed because of it!
    The whole site is offline, react immediately!
    """),
)
# How polite: rude, neither, polite.
MANNERS = (
    lines("""
    Are you stupid or what?
    You idiots cannot do anything right.
    Do your damn job.
    What kind of morons work there?
    Get off your lazy backs.
    Even a monkey could do this better.
    Shut up with your standard replies.
    You are useless clowns.
    You fools never learn.
    Is everybody in your company brain-dead?
    I do not care about your silly rules, just do it.
    Stop talking nonsense and do what you are paid for.
    Bunch of losers.
    Learn to read, dummies.
    """),
    lines("""
    Send me an answer.
    Check it.
    Fix it.
    Let me know.
    I expect an answer.
    Answer by mail.
    Look into it.
    Waiting for your reply.
    See above.
    Tell me what happens next.
    Do it as described.
    Get back to me.
    """),
    lines("""
    Could you please be so kind as to help me?
    Thank you so much for your help.
    I would be very grateful for your support.
    Would you mind having a look? Thank you very much.
    I really appreciate your work, many thanks.
    Please excuse the trouble, and thank you in advance.
    I would kindly ask you for a short reply.
    It would be lovely if you could help, thank you.
    Thanks a lot for your time and patience.
    May I kindly ask you to look into this?
    With many thanks for your kind help.
    If it is not too much trouble, could you please help? Thank you.
    You are doing a great job, thank you for helping me.
    Please accept my thanks for your efforts.
    """),
)
MATTERS = lines("""
The logo in the footer is [blurry|too small].
It is about the order of {n} chairs for {city}.
The report for {company} has a wrong date on page {n2}.
The printer in room {n} shows an error.
My booking for {city} shows the wrong name.
I am writing about the invoice for {product}.
The password of {name} must be reset.
The shop page shows the old price.
The link in the newsletter leads to an empty page.
The delivery of {product} to {city} is not here.
The list of participants is missing {name}.
The door code of the office in {city} has changed.
Our contract with {company} needs a signature.
The backup of our server in {city} stopped.
Your technician has to look at the {product}.
The translation of the letter to {company} is not finished.
My ticket for the train to {city} shows the wrong day.
The spelling of my name on the badge is wrong.
The {product} that I ordered has not been sent.
The {product} needs a new cable.
The address of {company} has changed.
We wait for the papers from {company}.
The payment to {company} was not sent.
The slides for {name} need a new picture.
""")
