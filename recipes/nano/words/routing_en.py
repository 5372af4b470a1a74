"""English sentences of the routing family: topic -> templates.

Leading marks: `!` something went wrong, `+` praise, `$` money back is asked for, `#` wants to cancel.
`[a|b]` is a choice, `{slot}` an invented name or number.
"""

ENGLISH = {
    "billing": """
!I was charged twice for [my subscription|the same order|one booking|the March invoice].
!My [credit card|card|bank account] was [charged|debited] {amount} but I [only ordered one item|expected {amount2}|never agreed to that].
!The invoice you sent shows {amount} instead of {amount2}.
!$You took {amount} [twice|two times] from my account, please [give me|send me|transfer] the money back.
Could you send me the invoice for [last month|January|our last payment|the annual plan]?
I need a [receipt|copy of the invoice|proof of payment] for [my accountant|our bookkeeping|my tax return|the expense report].
!The payment [failed|was declined|did not go through] although my card is valid.
How can I change the [credit card|payment method|billing address] on file?
Please put our [VAT number|tax ID|purchase order number] on [the next invoice|all future invoices|the bill].
!$I see [an unknown|a strange|a second] charge of {amount} on my [statement|bank statement|credit card bill] and I want [it refunded|my money back|a refund].
Can we pay by [bank transfer|PayPal|direct debit|invoice] instead of by card?
!Your [accounting|finance] people booked our payment of {amount} to the wrong customer.
We paid invoice {order} last week, but we [keep getting reminders|got a reminder again|received a payment reminder].
Is it possible to pay in [two instalments|monthly rates|three parts]?
!The discount code was not applied and I paid the full price of {amount}.
I [have a question|am writing] about the bill for [this month|last quarter|our office]: what is the item called "service fee"?
!My bill went up from {amount2} to {amount} without any notice.
Our [company|firm] moved, please update the billing address to {city}.
!$The subscription renewed by itself and {amount} was taken. Please refund this payment.
When will the [credit note|next bill|invoice] be issued?
!We were billed for {n} users although we only have {n2} seats.
The tax on the receipt looks wrong, it should be {n} percent.
I would like to switch from monthly to yearly billing.
!Your system says my payment is overdue, but I paid [on time|weeks ago|the full amount].
""",
    "technical": """
!The app [crashes|freezes|closes|hangs] [every time|whenever|as soon as] I [open|upload a file in|press save in|start] [it|{product}].
!I get error code {code} when I try to [export a report|sync my data|save the file|open the dashboard].
!The page [does not load|stays blank|shows a white screen|takes forever to load] in [Chrome|Firefox|Safari|my browser].
!Since the [last update|new version|upgrade] the [search|export|sync|upload|camera] [no longer works|is broken|stopped working].
How do I [connect|set up|configure|install] {product} with [my phone|Windows|a Mac|our server]?
!The API returns [a 500 error|an empty response|a timeout] for [all|most of our|every second of our] requests.
!The [bluetooth|wifi|network] connection of my {product} drops every few minutes.
Which [version|firmware|driver|operating system] do I need for {product}?
!The [software|program|desktop client] shows [an error message|a warning] and then nothing happens.
!Our integration broke and the webhooks are not sent any more.
Is there a way to [import|export] data as [CSV|Excel|PDF] in {product}?
!Notifications [do not arrive|never arrive|come hours late] on my [phone|tablet|watch].
!The [screen|display] of the app flickers and the buttons do not respond.
!The installer stops at {n} percent and says that a file is missing.
Where can I find the [documentation|manual|setup guide] for the API of {product}?
!Video calls have no [sound|picture], I already restarted [the computer|everything] twice.
!The website is [down|extremely slow|unreachable] and our staff cannot work with it.
!I found a bug: the date filter shows the wrong month.
!After installing the update my {product} does not turn on any more.
The documentation does not say how to [configure the proxy|rotate the key|enable the plugin], can you explain it?
!Uploading [photos|large files|documents] fails with a server error.
!The sync between [my phone and laptop|the two devices] has been stuck at {n} percent for hours.
!{product} cannot find the printer driver and prints blank pages.
!The dashboard shows no data since the migration.
""",
    "shipping": """
!My [parcel|package|order|delivery] [has not arrived|never arrived|still is not here|is late].
Where is my [order|package|parcel|shipment] {order}?
!The tracking [number|link|page] [has not changed|has not been updated] for [{n} days|a week].
!The courier [left|dropped] the box [in the rain|at the wrong house|with a neighbour I do not know].
Can you change the delivery address of [my order|order {order}] to {city}?
!Tracking says delivered, but [there is nothing here|I received nothing|nobody rang the bell].
How long does [shipping|delivery] to {city} [take|usually take]?
Do you [ship|deliver] to [Norway|Canada|{city}|islands]?
!The [driver|carrier|postman] said nobody was home, but I was here all day.
!The package is stuck at [customs|the depot in {city}|the sorting centre].
Can I pick up the parcel at [a shop|the post office|your warehouse]?
!Only [one of two boxes|half of the shipment|one parcel] was delivered.
I [will be away|am on holiday], please [hold the shipment|deliver it to my neighbour|delay the delivery].
!The delivery date has been moved [three times|again and again].
Is express [shipping|delivery] available for {product}?
!The shipment was sent to my old address in {city}.
When will the order be [shipped|dispatched|delivered]?
!The pallet for our [store|warehouse] in {city} did not show up.
Please tell me the tracking number of my shipment.
!The freight company lost our [pallet|crate|container].
What are the shipping costs for a {product} to {city}?
!Order {order} was supposed to arrive [days ago|last week], and the courier does not know where it is.
The delivery window between nine and twelve works for me.
!The parcel came back to you because the label was unreadable.
""",
    "account": """
!I [cannot|can't|am unable to] [log in|sign in|get into my account].
!I forgot my [password|username|PIN] and the reset mail [does not arrive|never comes|is not sent].
How do I [change|reset] my [password|email address|username]?
!My account [is locked|was locked|has been blocked] after [three wrong passwords|too many attempts].
!The [two-factor|verification|security] code [never arrives|is always wrong|expires too fast].
Please [delete|close|remove] my old user profile, I created a second one by mistake.
Can you [add|invite] [a colleague|a new user|{name}] to our account?
!The login page says that my password is wrong, but it is right.
I have a new phone and need to set up the authenticator again.
Please change the email address of my login to {email}.
!The password reset link [is expired|leads to an error|does not work].
Can two people share one login?
!I no longer have access to the [mailbox|phone number] my profile uses.
How can I merge my two accounts?
I would like to change the name on my profile to {name}.
!After I changed my password I was logged out everywhere and cannot sign in again.
!It says that my username does not exist.
We need [admin rights|permission|access] for {name} in the workspace.
!Single sign-on sends me back to the login screen again and again.
Where can I see which devices are signed in to my account?
!I cannot register because my email is already taken.
Please unlock the user {name}, the wrong password was entered too often.
!The sign-in button does nothing and I cannot reach my profile.
!My session ends every minute and I must enter my password again.
""",
    "sales": """
[We are|Our company is] interested in [buying|ordering] {n} [licences|units|seats] of {product}.
Could you [send us|prepare|make] [a quote|an offer|a price list] for {product}?
How much [is|does] {product} [for {n} users|for a team of {n}|in the large version] cost?
Do you offer [a discount|better prices|special terms] for [schools|non-profits|large orders|students]?
I would like to [book|see|schedule] a demo of {product}.
Which plan [fits|is right for|do you recommend for] a [team|company] of {n} people?
Can we [try|test] {product} for free before we buy it?
What is the difference between the basic and the premium plan?
We [compare|are comparing] several vendors and would like to know your prices.
I want to buy {product}, is it in stock?
Is there a volume discount if we order {n} pieces?
We want to upgrade from the starter plan to the business plan, what would it cost?
Please have somebody from your sales team contact us about a new contract for {n} machines.
Our budget is {amount}, what could you offer us for that?
Are there [leasing|rental] options for {product}?
Does the price of {amount} include [training|installation|support]?
We plan to equip our office in {city} and need an offer for {n} desks.
I saw {product} at the fair in {city} and would like to place an order.
Who is the right person to talk to about becoming a customer?
What would a licence for our {n} employees cost per year?
We are opening a new branch and would like to purchase {n} units of {product}.
Is there a trial version of {product}?
Please call me about an offer, we want to buy in the next quarter.
Do you sell {product} to private customers as well?
""",
    "legal": """
Please [delete|erase] all [personal data|data] you [hold|store] about me [under the GDPR|as the law requires|].
I request [a copy|an overview] of [all personal data|the data] you have stored about me.
[Where|In which country] is our data [stored|processed]?
Our lawyer has [questions|comments] about [clause {n}|the liability section|the terms] of the contract.
Please sign the attached [non-disclosure agreement|data processing agreement|contract].
!You [shared|passed on] my [address|data|phone number] [with|to] a third party without my consent.
I withdraw my consent to the use of my data.
!Your [website|logo|advert] uses [our trademark|my photo|our pictures] without permission.
We need a signed data processing agreement before we can go on.
Has your privacy policy changed?
How long do you keep [personal data|records|the recordings]?
!This is a formal notice from our attorney about the breach of contract.
Which law applies to the [licence agreement|contract]?
We received a [subpoena|court order] and need the records of one user.
Please tell us the name of your data protection officer.
Does your product comply with the [GDPR|privacy law|new data act]?
!I consider legal action because my private data was published.
Our legal department wants to change two clauses of the agreement.
I object to the processing of my personal data for advertising.
Under which licence may we use the pictures?
!Your terms of service break consumer law, says our lawyer.
We want to know who can access our personal data and on what legal basis.
Please remove my photo from your page, I did not give permission.
Can you confirm that my data was erased?
""",
    "hr": """
I would like to [request|take|apply for] [{n2} days of vacation|holiday|parental leave|unpaid leave] in [July|May|autumn].
!My [salary|pay|wage] for [last month|May|October] is [wrong|too low|missing].
I am [sick|ill] [today|this week] and [cannot come to work|will stay at home], the doctor's note is attached.
I want to apply for the job as [a developer|an accountant|a nurse|a driver].
Please find attached my [CV|application|résumé] for the open position.
How many vacation days do I have left?
When does the new [employee|colleague|intern] start and who does the onboarding?
I need a [certificate of employment|reference letter|confirmation of my job] for my landlord.
What does the company pay towards the pension plan?
!My overtime hours are not on the payslip.
I want to talk about my employment contract and [part-time|remote] work.
Which training courses may employees book?
!My manager refuses my leave without any reason.
I am going to resign at the end of the month, whom do I tell?
Could you send me my payslip for [June|last month]?
I got married and my surname is now {name}, please change it in the staff records.
Is the position of [team lead|warehouse worker|designer] still open?
We need to hire two people for the team in {city}, please publish the vacancy.
!The time clock did not record my working hours.
When is the interview with the candidate {name}?
I would like to change the bank account for my salary.
Is the health insurance of employees paid during parental leave?
Whom must I tell about my sick leave?
The candidate accepted the job and starts in {city} in spring.
""",
    "returns": """
I would like to [return|send back] [the|my] {product}, it [is too small|does not fit|is not what I wanted].
!The {product} arrived [broken|damaged|with a crack|scratched].
!You sent me the wrong [colour|size|item|model].
!$The {product} is defective and I [want my money back|would like a refund|ask for a refund].
How do I [return|send back] an item?
Can I [exchange|swap] the {product} for a [larger|smaller|different] one?
Please send me a return label for [my order|order {order}].
!One [part|piece|screw|cable] is missing from the box of my {product}.
!$I sent the {product} back weeks ago and still wait for my refund.
Is the {product} still under warranty?
!The {product} stopped working after two days, I want [a replacement|a new one].
How many days do I have to return something?
The shoes are too tight, can I get them one size larger?
!The zip was torn when I opened the package.
$Please refund me for the {product} that I returned.
Do I have to pay for the return?
!The glass was broken into pieces when I unpacked it.
I changed my mind and want to send the {product} back unopened.
!I received a used {product} instead of a new one and want to exchange it.
Where do I send the faulty item for repair under warranty?
!The seam came apart after the first wash, I ask for an exchange.
I ordered two by mistake and would like to return one of them.
!The lid does not close, please replace it.
$I return the {product} within the two weeks and ask you to pay back {amount}.
""",
    "spam": """
Congratulations, you [have won|are the winner of] [a new phone|{amount}|a luxury trip]! Click [here|the link] to claim your prize.
[Buy|Get] [cheap|discount] [pills|watches|followers|designer bags] now, [limited offer|only today|best price]!!!
We can bring your website to the first page of Google for only {amount} a month.
Dear friend, I am a [prince|banker|widow] and need your help to move {amount} million dollars.
Earn {amount} a week from home without any work, sign up now!
Your mailbox will be closed, confirm your password at http://{domain}/verify.
Hot singles in your area want to meet you tonight.
We offer backlinks and guest posts on {n} high ranking sites, reply for prices.
Invest in crypto now and double your money in {n} days, guaranteed profit!
You were selected for a free gift card, just enter your card number.
Get rich quick with this one secret trick that banks hate.
Increase your sales by {n} percent with our email list of five million contacts.
Exclusive deal: replica watches with {n} percent off, free shipping worldwide!
Lose {n} kilos in two weeks with this miracle tea.
URGENT: your inheritance of {amount} million is waiting, send us your bank details.
Cheap loans without credit check, money in your account in one hour!
Hello dear, we are a leading factory and sell all kinds of LED lamps, best quality, best price.
Play at our online casino and get {n} free spins and a huge bonus!
Your lottery ticket has won, send a small fee to receive the prize.
Buy {n} thousand real followers and likes for your profile, instant delivery.
""",
    "feedback": """
+I just wanted to say that I love {product}, [great work|well done|keep it up].
It would be [great|nice|helpful] if {product} had [a dark mode|a calendar view|keyboard shortcuts|bigger buttons].
+[Your colleague|Your agent|The man on the phone] {name} was very [kind|helpful|friendly], please pass on my thanks.
I have a suggestion: please add [a search box|a filter|a map] to the [list|shop|start page].
+Thank you for the [quick|wonderful|excellent] service, we are very happy.
My wish for the next version: support for [more languages|larger fonts|offline use].
+The new design is beautiful and much easier to use.
Please consider offering {product} in [green|a smaller size|blue].
+Best shop I know, I will recommend you to my friends.
You could make the [menu|start page|catalogue] simpler, just an idea.
+We have used {product} for {n2} years and it still makes us smile.
A feature I would like to see: sharing lists with my family.
+Compliments to the whole team in {city}, the event was great.
I filled in your survey and want to add one idea about the packaging: use less plastic.
+What a pleasant experience, thank you all.
Maybe you could open on Saturdays too, many customers would like that.
+Five stars from me, the chef and the waiters were lovely.
As an idea for improvement, let users sort the list by name.
""",
    "security": """
!Somebody [logged in|signed in] to my account from [another country|{city}|an unknown device] and it was not me.
!I [received|got] a [phishing|suspicious|fake] mail that [looks like|claims to be from] your company.
!I think my account was hacked, [somebody changed my email|there are orders I never made].
!We found a [vulnerability|security hole] in your [login form|API|website].
!An employee lost a [laptop|phone|badge|USB stick] with [customer data|company files] on it.
!A virus was found on {n2} of our computers.
!I clicked on a strange link and entered my password, I am afraid that it was stolen.
!Unknown people tried to get into our server from the address {ip}.
I want to report a security issue in {product} to your security team.
!A caller pretended to be from your support and asked for my PIN.
!Our customer list is offered for sale on the internet, there must be a leak.
!All files on the server are encrypted and somebody demands money.
!An attacker could read other users' files by changing the number in the link.
Do you have a bug bounty programme for reported vulnerabilities?
!Malware was found in an attachment that came from your address.
!A stranger is using my account, please block it before more is stolen.
!I see logins at three in the night from {city} that I cannot explain.
!Our [firewall|scanner] reports an attack from {ip}.
""",
    "cancellation": """
#I [want|would like|wish] to cancel my [subscription|membership|contract|plan].
#Please [cancel|end|terminate] my [subscription|membership|contract] [at the next possible date|with immediate effect|at the end of the month].
#How do I cancel my [subscription|plan|membership]?
#We no longer need {product} and terminate the contract.
#Please do not renew my [plan|subscription|membership], I am leaving.
#I have decided to leave and ask you to end my contract.
#Please confirm the cancellation of my [gym membership|newspaper subscription|phone contract].
#What is the notice period if I want to end my contract?
#This is my notice of cancellation for the contract {order}.
#We are switching to another provider, so please close our contract.
#I am moving abroad and must cancel my membership.
#Stop my subscription, I do not use it any more.
#Can I end my yearly plan early?
#Please stop the automatic renewal of our licence, we do not want to go on.
#I hereby terminate my membership and expect a written confirmation.
#My son left the club, please cancel his membership.
#I cannot find the button to cancel my plan, please do it for me.
#The contract for our office in {city} shall end, here is our cancellation.
""",
    "partnership": """
I am a [journalist|reporter|blogger|podcaster] and would like to [interview your CEO|write about {product}|get press photos].
We would like to [become a partner|resell your products|work together] in [Spain|Asia|our region].
Would you [sponsor|support] our [football club|conference|school festival] in {city}?
Our magazine is planning an article about your company and needs a statement.
Could someone from your company speak at our conference in {city}?
I run a channel with {n} thousand subscribers and would like to cooperate with you.
We are a distributor and are interested in a reseller agreement.
Please send us a press kit with logo and pictures.
Our university would like to start a research project with you.
Are you interested in a joint booth at the trade fair in {city}?
We produce a TV report on your industry and would like to film in your factory.
Let us talk about a partnership between {company} and you.
I write for the newspaper in {city} and have some questions for your press office.
Would you take part in a joint marketing campaign with {company}?
""",
    "facilities": """
!The [heating|air conditioning|light|elevator] in [room {n}|the meeting room|our office] [is broken|does not work|failed].
!There is a water leak in the [kitchen|basement|bathroom] on the [second|third|top] floor.
Please order [new chairs|paper|coffee|a whiteboard] for the [office|kitchen|meeting room].
!The [door|window|lock] of room {n} [does not close|is stuck|is damaged].
I lost my [key|parking card] for the building, how do I get a new one?
Can I get a parking space at the office in {city}?
!The toilets on the [first|second] floor have not been cleaned.
We need a bigger desk and a lamp in room {n}.
!It is freezing in our office, the radiator stays cold.
Who can let the painters into the building?
!The coffee machine on our floor leaks.
Please have the carpet in the entrance hall cleaned.
!The garage door of the building does not open any more.
The bins in the yard must be emptied.
""",
    "scheduling": """
I would like to [book|make|arrange] an appointment [for a haircut|with Doctor {name}|for a check-up|for an inspection of my car].
Can I move my [appointment|booking|reservation] [to Thursday|to another day|to the afternoon]?
Please reserve a table for {n2} people [in the evening|for dinner|outside].
Do you have a free [room|slot|table] in [June|the second week of May]?
Could we have our meeting on {weekday} instead?
I need to postpone my visit, which times are still free?
We would like to reserve a double room with breakfast in {city}.
I am running late and will be at my appointment {n} minutes after the agreed time.
Is it possible to see the doctor in the morning?
Please change my reservation from two to four guests.
When is the next free date for a test drive?
I would like to book a guided tour for a group of {n} visitors.
Please put me on the waiting list in case an appointment becomes free.
Could your technician come on {weekday} morning? That slot suits us best.
""",
    "product_info": """
Is the {product} [waterproof|made of wood|suitable for children|dishwasher safe]?
What are the [dimensions|measurements|size] of the {product}?
Which [battery|bulb|filter|cable] fits the {product}?
Does the {product} contain [nuts|gluten|lactose|leather]?
What is the {product} made of?
How [heavy|loud|large|long] is the {product}?
Can the {product} be used [outdoors|in the bathroom|with solar panels]?
What is the difference between the {product} and the older model?
How long does the battery of the {product} last?
Which colours does the {product} come in?
Does the {product} have a [timer|handle|remote control]?
May I wash the {product} at sixty degrees?
How much water does the {product} hold?
From which age is the {product} recommended?
""",
}
