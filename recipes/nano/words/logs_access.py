"""Access logs of web servers: what is asked of one request or of several."""

from recipes.nano.wording import Fact, Kind, lines, words

# status class -> statuses
STATUSES = {
    "success": (200, 200, 200, 201, 202, 204),
    "redirect": (301, 302, 304, 307, 308),
    "client": (400, 401, 403, 404, 404, 405, 409, 410, 422, 429),
    "server": (500, 500, 501, 502, 503, 504),
}
KINDS = {
    "success": Kind(
        words("success; ok; succeeded; fine; 2xx; good"),
        words("the request was answered; status 200 to 299; all went well; no error"),
        plain=True,
    ),
    "redirect": Kind(
        words("redirect; redirected; moved; elsewhere; 3xx; forwarded"),
        words("sent to another address; status 300 to 399; moved; the browser shall look elsewhere"),
        plain=True,
    ),
    "client": Kind(
        words("client error; bad request; 4xx; caller error; fault of the client"),
        words(
            "the caller made a mistake; status 400 to 499; not found, not allowed or a bad request; an error of the visitor"
        ),
        plain=True,
    ),
    "server": Kind(
        words("server error; server failure; 5xx; internal error; fault of the server"),
        words("the server failed; status 500 to 599; an internal error or an unavailable server; our own failure"),
        plain=True,
    ),
}
IDS = words("result; status_class; outcome; response; kind; status; answer_type; http_result; verdict")
ASKS = lines("""
How did the request end?
What is the outcome of the request?
Which class does the status code belong to?
Classify the response.
What kind of answer did the server give?
Outcome of the request
Was the request successful, and if not, whose fault was it?
Which result does the log line show?
Sort the request by its status.
""")
FACTS = {
    "success": Fact(
        words("success; request_ok; succeeded; is_ok; answered"),
        lines("""
        Did the request succeed?
        Was the request answered without an error or redirect?
        The request was successful.
        show|s a successful request
        -The request was not successful.
        Is the status code between 200 and 299?
        """),
    ),
    "server": Fact(
        words("server_error; is_5xx; server_failed; our_fault; internal_error"),
        lines("""
        Is this a server error?
        Did the server fail?
        show|s a server error
        Is the status code 500 or higher?
        -The server did not fail.
        The fault lies with the server.
        """),
    ),
    "client": Fact(
        words("client_error; is_4xx; caller_fault; bad_request"),
        lines("""
        Is this a client error?
        Is the status code between 400 and 499?
        Did the caller make a mistake?
        show|s an error of the client
        -This is no client error.
        Was something requested that is wrong, missing or not allowed?
        """),
    ),
}
METHODS = ("GET", "GET", "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD")
PAGES = lines("""
/
/index.html
/api/orders/{id}
/api/v{d}/{table}
/{table}/{id}
/login
/search?q={product}
/static/{table}.css
/cart
/{table}
/admin
/favicon.ico
/images/{product}.png
/checkout
/api/{svc}/status
/download/{id}.zip
""")
