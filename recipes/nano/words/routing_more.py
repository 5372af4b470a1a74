"""Further English sentences of the routing family, in the words of chats and hurried mails. Marks as in routing_en."""

MORE = {
    "billing": """
!why was {amount} taken from my account??
!My bank shows two debits from you, both over {amount}.
Can I get an invoice with our company name instead of mine?
!The bill says {n} hours of work, but your people were here for {n2} hours only.
!You raised the monthly fee without telling me.
Which payment methods do you accept?
!$Somebody used my card for an order over {amount}. I want this payment back.
Please resend invoice {order}, our bookkeeper lost it.
!My gift card was not deducted from the total.
When is the next instalment due, and how much is it?
!The receipt you mailed me is empty, I cannot hand it in to the tax office.
Do you charge an extra fee for payments by credit card?
!Direct debit bounced because you used an old bank account of ours.
!$I cancelled in time and was still charged {amount}, please return the money.
The amount due on the statement is {amount}, is that before or after tax?
We would like to get all bills by email instead of on paper.
""",
    "technical": """
!app keeps crashing on my phone, pls help
!Login works, but after that the screen stays grey and nothing loads.
!Every time I click on "send" the form loses all my text.
!The plugin throws an exception after the upgrade to version {n2}.
!Our {product} loses its wifi signal whenever the microwave runs.
!The report comes out with broken characters instead of letters.
Does {product} run on Linux?
!Printing from the tool gives an empty page.
!The map does not show my position any more.
!I get "something went wrong" whenever I try to attach a photo.
How can I move my data from the old laptop to the new one?
!Search results are empty although the documents exist.
!The scanner is not recognised by the software.
!Since yesterday the server answers with error {code}.
What are the system requirements of the desktop program?
!The calendar sync creates every entry twice.
!The video stops after {n} seconds and the player freezes.
How do I turn on dark mode in the program?
""",
    "shipping": """
!still no sign of my package, it was sent two weeks ago
!Your courier threw the parcel over the fence.
!The tracking page has said "label created" for {n} days.
Could the driver ring at the neighbour if nobody is home?
!My order went to {city}, but I live somewhere else.
What time does the delivery van usually come?
!The delivery note says three boxes, the driver brought only one.
Can you send the order to a parcel locker?
!My birthday present did not make it in time, the carrier was late.
Is it possible to combine two orders in one shipment?
!The goods have been in transit between two depots since last week.
Which carrier brings the {product}, and do I have to sign for it?
!The truck could not find our warehouse gate and drove away again.
Do you deliver on Saturdays?
!Nobody told me that the delivery was postponed.
Please leave the package in the garage if I am not at home.
""",
    "account": """
!can't get into my profile, it says wrong password
!The mail with the confirmation link for my new account never came.
!I am locked out after changing my phone.
How can I turn on two-step login?
!The system does not accept my new password.
Which user name did I register with?
!My colleague left and I cannot reach the admin account any more.
Please give {name} read access to our project.
!The one-time code is sent to a phone number that I no longer have.
Can I have two profiles with the same email?
!I was signed out and the login form refuses my email address.
Please reset the password of the user {name}.
How do I remove an old device from my login?
!My user is deactivated and nobody can tell me why.
I want to change my user name from {name} to something else.
""",
    "sales": """
hey, what does the pro version cost for {n} people?
We would like to order {n} of your {product}, could you make us a good price?
Is there a cheaper plan for a small club?
I am looking for a {product} for our school and would like an offer.
Does the enterprise plan include a personal contact, and what would we pay?
Our current contract with another vendor ends soon, so we are looking for a new supplier.
Could one of your salespeople show us {product} in a video call?
We need a quote for {n} machines with delivery and training.
Do you have any special offers for new customers?
Can I add {n} more licences to my order, and what do they cost?
I'd like to buy a gift voucher, how does that work?
Would you give us ten percent off if we order this month?
We are a hotel in {city} and need {n} new mattresses, what would you charge?
Please send your catalogue with prices to our purchasing department.
""",
    "legal": """
Under the GDPR I ask you to tell me which data you keep about me.
Please remove every personal detail of mine from your records.
!You published my name and photo without asking.
The contract says nothing about liability, our lawyers want to add a clause.
May we use your logo in our brochure, or do we need written permission?
!Somebody in your company gave my phone number to strangers, that breaks data protection law.
Please send the data processing agreement for signature.
Where can I read how you handle personal data of children?
!Your competitor's advert copies our brand name, our attorney will contact you about the trademark.
We need to know where your servers are because of data protection rules.
How long are chat logs with customers kept by law?
Our auditor asks for proof that you comply with the privacy rules.
The licence terms do not say whether we may resell the software, please clarify.
""",
    "hr": """
Can I carry over my remaining holidays to next year?
!My payslip shows fewer hours than I worked.
I would like to work from home on two days a week, whom do I ask?
My child is ill and I have to stay at home with her.
I saw your vacancy for a {n} hour job in {city} and would like to apply.
When do I get my contract for the new position?
Please send me the form for parental leave.
!I have not received my wages.
We have a new trainee from next month, please prepare the onboarding.
Does the company pay for language classes of its staff?
I handed in my notice and need my final papers.
How do I record overtime?
Could I reduce my working time to thirty hours?
The interview went well, we would like to hire {name}.
!My colleague harasses me and I want to talk to somebody in personnel.
""",
    "returns": """
the {product} broke after one day, i want a new one
!The {product} has a scratch on the front, can I swap it?
I got two of the same book as a present and would like to give one back.
!Wrong size again, I ordered large and got small.
!The {product} leaks and smells burnt, please exchange it.
Where is the return form?
!There was someone else's {product} in my box.
May I bring the {product} back to the shop in {city}?
!The warranty covers two years, and my {product} died after {n2} months.
How do I send the broken part back to you?
!$The dress has a hole, I am returning it and want my money back.
!The {product} was already opened and some pieces are gone.
I would rather have the blue one, can I exchange it?
Do you take back opened packages?
""",
    "feedback": """
+You guys rock, the new version is so much faster!
+Our guide {name} was fantastic, please tell him.
+Just a thank you: your hotline solved everything in five minutes.
It would help a lot if the list could be printed.
+I've never had such friendly service, keep going!
Idea: let us save favourites.
+The course in {city} was a pleasure, we learned so much.
I wish there were a version for left-handed people.
+Lovely packaging and a handwritten note, that made my day.
Have you thought about adding a night mode?
+Big compliment to your developers for the new search.
Suggestion: send a reminder the day before an event.
""",
    "security": """
!Someone changed the password of our admin user and we did not do it.
!I got an SMS with a link that pretends to be you and asks for my bank data.
!A hacker seems to be reading our mails.
!My wallet in the app was emptied by a stranger.
!There is a fake website that looks exactly like yours and steals passwords.
!Our intern opened an attachment and now a virus spreads on the computers.
!I can see other customers' data when I change the address of the page.
!A USB stick with patient files was stolen from my car.
!An unknown person walked into the server room with a copied badge.
!The antivirus program found a trojan on {n2} laptops.
""",
    "cancellation": """
#pls cancel my plan, thx
#I do not want to be a member any longer.
#Our company closes, so please end all our contracts.
#I would like to stop my newspaper from next month on.
#After {n2} years it is time to go, I am ending my membership.
#How long is my notice period, and where do I send the cancellation?
#My grandmother died, please cancel her contract.
#We found something cheaper and will not renew the licence.
#Please take this letter as my cancellation of the insurance.
#Stop the automatic renewal, I am done with it.
#I signed up last week and want to withdraw from the contract.
#Cancel my trial before it turns into a paid plan.
""",
    "facilities": """
!The light in the corridor of floor {n2} has been flickering.
!It rains through the roof into room {n}.
Please set up a table and {n} chairs in the big meeting room.
!My office key does not fit the new lock.
!The elevator is stuck between two floors.
Where can I put my bicycle at the office?
!There are mice in the kitchen on the third floor.
We are running out of printer paper and pens.
!The radiator under my desk makes loud noises.
Could the cleaning staff also do the windows?
""",
    "scheduling": """
do you have a free slot for a haircut on {weekday}?
I'd like to come for a check-up of my teeth, when is a time free?
We have to move our meeting, is {weekday} all right for you?
Please book me a single room from {weekday} on.
My appointment with Doctor {name} has to be shifted to the afternoon.
Can we get a table by the window for {n2} people?
I want to make an appointment to see the flat in {city}.
Our group of {n} would like to visit the museum in the morning.
Could I come an hour later than agreed?
Please reserve the tennis court for us on {weekday} evening.
""",
    "product_info": """
Is the {product} loud when it is running?
What sizes does the {product} come in?
Can I use the {product} in the rain?
How many people fit into the {product}?
Does the {product} come with a charger?
Is the {product} vegan?
How deep is the {product}, will it fit under a shelf of {n} centimetres?
What material is the cover of the {product}?
Does the {product} work with rechargeable batteries?
Is there a version of the {product} without plastic?
""",
    "partnership": """
I'm a reporter for a radio station in {city} and would like to interview your founder.
We organise a fair in {city} and invite you as a sponsor.
Would you like to supply prizes for our charity run?
Our agency would like to become your reseller in {city}.
May we visit your factory with a camera team?
I run a food blog and would love to work together.
The television station needs a quote from your spokesperson.
{company} would like to develop a product together with you.
Do you offer an affiliate programme for bloggers?
Our students would like to do a project with your company.
""",
    "spam": """
YOU WON!!! Claim your {amount} now, only a small fee is needed!
Make {amount} a day with this trading robot, no risk at all!
Dear customer your parcel is waiting, pay {amount} at http://{domain} now.
Best SEO service, rank number one in {n} days or it is free!
Meet lonely ladies in {city}, free registration tonight!
Miracle cream removes wrinkles in {n2} days, order now and get two free!
Your computer has {n} viruses, download our cleaner at http://{domain}!
We sell original diplomas and certificates, no exam needed.
Hello sir, I can design a new logo and website for you for only {amount}.
Hot stock tip: buy now before it explodes by {n} percent!
""",
}
