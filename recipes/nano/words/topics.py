"""Words that tell the topics of messages apart, shared by all splits.

`keys` name a topic, `described` may follow a key, `nouns` fit "about {noun}", `trouble` is what went wrong, in
sentences, and `other` are sentences without trouble.
"""

from recipes.nano.wording import words

TOPICS = {
    "billing": {
        "keys": words("billing; payments; invoices"),
        "described": words("invoices; payments; charges; bills; receipts; credit cards; wrong amounts"),
        "nouns": words("""my invoice; the last invoice; my bill; the receipt; a payment; the billing address; my credit card;
        the payment method; the tax on the invoice; the charge on my card; the bank transfer; a double charge; the monthly bill;
        a copy of the invoice; the VAT number; direct debit; the overdue payment; the amount on the bill"""),
        "trouble": words("""I was charged twice; my card was charged twice; the invoice is wrong; the amount on the bill is too high;
        my payment was declined; the payment failed; I paid but the invoice still shows as open; you billed me the wrong amount;
        there is an unknown charge on my card; the invoice shows the wrong tax; my bank statement shows a double payment;
        I got a payment reminder although I paid; the discount is missing on my bill; you debited my bank account twice;
        I was overcharged; the receipt never came; my credit card was declined"""),
        "other": words("""please send me the invoice; I need a receipt for my accountant; I want to pay by bank transfer;
        I want to change my credit card; I paid the bill; please correct the billing address on the invoice"""),
    },
    "technical": {
        "keys": words("technical; technical support; tech support"),
        "described": words("bugs; crashes; error messages; software problems; installation; app errors; slow pages"),
        "nouns": words("""an error message; a bug; the app; the software; the installation; the new update; the API; the server error;
        the sync; the website; the latest version; the setup of the app; the export function; the browser; the integration;
        the plugin; the loading time; a software crash"""),
        "trouble": words("""the app crashes; the app crashes every time I open it; the website does not load; I get an error message;
        the page shows a server error; the software freezes; the sync does not work; the export is broken;
        the update broke the app; the screen stays blank; the installation fails; the API returns an error; the page is very slow;
        the button does nothing; there is a bug in the new version; the upload fails; the program hangs; the site is down"""),
        "other": words("""I want to install the app; how do I set up the software; I need help with the installation;
        please explain the API; which browser does the app need; I want to export my data from the app"""),
    },
    "shipping": {
        "keys": words("shipping; delivery; logistics"),
        "described": words(
            "late parcels; lost packages; tracking; delivery dates; couriers; shipments; delivery addresses"
        ),
        "nouns": words("""my parcel; my package; the delivery; the shipment; the delivery date; the tracking number; the courier;
        the shipping costs; the delivery address; express shipping; the tracking link; the driver; customs; the delivery time;
        the shipping of my order; the carrier; the arrival of my order"""),
        "trouble": words("""my parcel has not arrived; my package is late; the package is lost; the delivery is late;
        the tracking has not changed for days; the courier left the parcel at the wrong door; my order never arrived;
        the shipment is stuck in customs; the driver did not ring; the parcel was delivered to the wrong address;
        the tracking number does not exist; my order is still not shipped; I am still waiting for my parcel; the delivery did not come;
        the package was left in the rain; tracking says delivered but no parcel came"""),
        "other": words("""where is my order; when will my package arrive; please ship it to another delivery address; I want to track my parcel;
        do you ship to {city}; when is the delivery"""),
    },
    "account": {
        "keys": words("account; login; account access"),
        "described": words(
            "passwords; login problems; locked accounts; user names; verification codes; signing in; profiles"
        ),
        "nouns": words("""my password; my account; the login; my user name; the verification code; the password reset; my profile;
        the login page; two-factor login; my email address in the profile; the reset link; access to my account; signing in;
        the account settings; my login data; a new user"""),
        "trouble": words("""I cannot log in; my account is locked; I forgot my password; the password reset does not work; my password is not accepted;
        the verification code does not come; I have no access to my account; the reset link has expired; the login fails;
        I am locked out of my account; I cannot sign in; the login page rejects my password; my user name is unknown;
        the two-factor code is wrong; my account was deactivated; I cannot change my password"""),
        "other": words("""please reset my password; I want to change my user name; please unlock my account; how do I log in;
        please add a user to our account; I want to change the email address of my account"""),
    },
    "sales": {
        "keys": words("sales; pre sales; quotes"),
        "described": words("quotes; prices; offers; demos; new customers; discounts; price lists"),
        "nouns": words("""a quote; your prices; an offer; a demo; a volume discount; the price list; the enterprise plan; a free trial;
        more licences; the pricing; the price for a large order; a bigger plan; an upgrade; buying fifty seats;
        a sales meeting; a discount for companies"""),
        "trouble": words("""I never received the quote; your sales team did not call back; the offer has the wrong price;
        nobody answered my request for a quote; the demo was not booked; the price list is out of date"""),
        "other": words("""please send me a quote; we want to buy {n} licences; we would like a demo; what does the enterprise plan cost;
        we are interested in your product; do you offer a volume discount; please make us an offer for {n} seats;
        I want to upgrade to a bigger plan; can we get a free trial; we plan to purchase {n} units; what are your prices;
        our company wants to become a customer; I would like to talk to sales; how much does it cost for {n} users"""),
    },
    "legal": {
        "keys": words("legal; privacy; legal and privacy"),
        "described": words("contracts; personal data; privacy; lawyers; terms and conditions; data deletion; consent"),
        "nouns": words("""my personal data; the privacy policy; the terms and conditions; data protection; the contract clause; a legal notice;
        the GDPR; my consent; the copyright; the trademark; the agreement; the data processing agreement; a court order;
        the licence terms; the law; liability"""),
        "trouble": words("""you stored my personal data without consent; you violate the privacy law; our trademark is used without permission;
        the contract clause is illegal; you broke the agreement; you shared my personal data; this breaks the GDPR;
        your terms and conditions are against the law; our lawyer found a mistake in the contract; the copyright was ignored"""),
        "other": words("""please delete my personal data; our lawyer has to check the contract; please sign the agreement;
        which personal data do you store; I withdraw my consent; please send the data processing agreement;
        our legal department needs the signed contract; I request a copy of my personal data under the GDPR;
        please send a legal statement; we need a confidentiality agreement"""),
    },
    "hr": {
        "keys": words("hr; human resources; personnel"),
        "described": words("vacation; payroll; salaries; sick leave; job applications; employees; overtime"),
        "nouns": words("""my vacation; my salary; the payroll; sick leave; my job application; my payslip; parental leave; overtime;
        the open position; the employment contract; my holiday days; the job interview; the training for employees; working hours;
        a new employee; the pension"""),
        "trouble": words("""my salary was not paid; the payslip is wrong; my overtime is missing on the payslip; my vacation days are wrong;
        my sick leave was not recorded; nobody answered my job application; my salary came late; the payroll forgot my bonus"""),
        "other": words("""I want to take vacation in May; I am sick today and cannot work; I apply for the open position; here is my job application;
        how many vacation days do I have; please send me my payslip; I would like to request parental leave;
        our team needs a new employee; I want to work part-time; when is my job interview; I have a question about my salary;
        I hand in my sick note; I would like a day off"""),
    },
    "returns": {
        "keys": words("returns; exchanges; warranty"),
        "described": words(
            "returned items; exchanges; damaged goods; wrong items; return labels; warranty; broken products"
        ),
        "nouns": words("""a return; the return label; an exchange; the warranty; a damaged item; the wrong size; a defective product; the return form;
        a broken item; a replacement; the wrong colour; sending it back; a missing part; the guarantee; my returned item"""),
        "trouble": words("""the {product} arrived damaged; the {product} is broken; I received the wrong item; the {product} does not fit;
        the {product} is defective; you sent the wrong size; the {product} has a crack; the {product} broke after one day;
        you sent the wrong colour; a part is missing; the {product} came in pieces; the {product} is scratched;
        the item is faulty; the box was damaged and the {product} is broken; the return label is missing"""),
        "other": words("""I want to return the {product}; how can I send it back; I would like to exchange the {product};
        please send me a return label; is the {product} still under warranty; I need another size; I sent the item back"""),
    },
    "spam": {
        "keys": words("spam; junk; scam"),
        "described": words("unwanted advertising; scams; junk mail; fake prizes; dubious offers; casino ads"),
        "nouns": (),
        "trouble": (),
        "other": words("""congratulations, you have won {amount}; you are our lucky winner; click here to claim your prize;
        make {amount} a day from home; get rich quick with bitcoin; cheap pills without prescription; you won a free iPhone;
        click this link now; claim your free gift card; earn money fast; a prince left you {amount} million; win big in our online casino;
        lose weight fast with this miracle pill; hot singles in your area; buy cheap watches; double your bitcoin today;
        you have been selected as a winner; act now, limited offer; no risk, guaranteed profit; 100% free bonus at our casino;
        we make your website number one on Google; get a loan without any checks; your inheritance is waiting for you;
        this secret trick makes you rich; unlock your lottery winnings; dear friend, I have a business proposal worth {amount} million;
        best SEO service, first place guaranteed; buy followers and likes; subscribe now and win a prize"""),
    },
    "feedback": {
        "keys": words("feedback; suggestions; praise"),
        "described": words("praise; suggestions; ideas for improvement; compliments; wishes for new features; thanks"),
        "nouns": words(
            """a suggestion; an idea; my feedback; an improvement; a feature request; a wish for the next version"""
        ),
        "trouble": (),
        "other": words("""I have a suggestion; here is some feedback; it would be nice to have a dark mode; please add a new feature;
        my idea is to add a calendar view; I suggest adding more colours; I wish the next version had a search; keep up the good work;
        I love the new design; a small idea for improvement; a compliment to your team; I have a feature request;
        it would be great if you added a filter; you could improve the menu; well done; this is just a suggestion;
        my feedback on the new design is good; please consider my idea; an improvement would be larger text"""),
    },
    "security": {
        "keys": words("security; it security; security incident"),
        "described": words("hacked accounts; phishing; data leaks; suspicious logins; malware; viruses; attacks"),
        "nouns": words("""a security hole; a phishing mail; a data leak; a suspicious login; malware; a virus; a hacker attack; a stolen laptop;
        a vulnerability; a security incident; ransomware; a suspicious link; stolen data; an unknown device"""),
        "trouble": words("""my account was hacked; somebody hacked our server; I got a phishing mail; I found a vulnerability;
        there was a suspicious login from another country; my laptop was stolen; a virus infected my computer; our data was leaked;
        I clicked a phishing link; malware was found on a computer; someone stole our data; hackers attacked the server;
        I see a login from an unknown device; ransomware encrypted our files; there is a security hole; I suspect an attack"""),
        "other": words("""I want to report a vulnerability; I want to report a phishing mail; is this suspicious link safe;
        please check this suspicious attack; please scan my computer for malware"""),
    },
    "cancellation": {
        "keys": words("cancellation; cancellations; cancel subscription"),
        "described": words(
            "cancelled subscriptions; ended contracts; ended memberships; notice periods; leaving customers"
        ),
        "nouns": words("""the cancellation; ending my subscription; my cancellation; the notice period; the end of my membership;
        the termination; cancelling my plan; the end of the contract"""),
        "trouble": words("""my cancellation was ignored; I cancelled but the subscription was renewed; I cannot cancel my subscription;
        the cancel button is missing; my cancellation was not confirmed"""),
        "other": words("""I want to cancel my subscription; please cancel my membership; I want to end my contract; please terminate my plan;
        I do not want to renew my subscription; please stop the automatic renewal; I no longer need the subscription; I am leaving, please close my membership;
        how do I cancel; please confirm my cancellation; I quit my membership; I hereby terminate the contract;
        please end my subscription at the end of the month; I would like to unsubscribe from the plan"""),
    },
    "scheduling": {
        "keys": words("scheduling; appointments; reservations"),
        "described": words("appointments; reservations; tables; free dates; bookings; postponed meetings"),
        "nouns": words("""my appointment; a reservation; a table for two; the booking; another date; a meeting next week; the appointment time;
        my booking; a free slot; a visit; a guided tour; the calendar; rescheduling"""),
        "trouble": words("""my appointment was forgotten; my reservation is missing; the table was already taken; my booking was lost;
        the appointment was moved without notice; nobody was there for my appointment; the room was booked twice"""),
        "other": words("""I would like to book an appointment; I want to reschedule my appointment; I would like to reserve a table for {n2};
        can we move the meeting to {weekday}; do you have a free slot on {weekday}; I want to book a room for {n2} nights;
        please postpone my appointment; I want to change my reservation; is another date possible; please confirm my booking;
        I want to make a reservation; can we schedule a meeting; I cannot come to my appointment; are you free on {weekday}"""),
    },
}
# Topics that one message may be said to be about at once: never offered together.
CONFLICTS = {
    frozenset(pair.split())
    for pair in words(
        """account security; technical security; shipping returns; billing cancellation; account legal; security legal; spam security; cancellation account; cancellation legal; feedback technical; legal hr; scheduling hr; account technical"""
    )
}
