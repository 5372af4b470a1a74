"""What the logs family asks: areas, severities, actions, and phrasings."""

from recipes.nano.naming import Label
from recipes.nano.wording import lines, words

# Subjects are put before the predicates; keys and subjects make the descriptions, too.
AREAS = {
    "disk": Label(
        words("disk; storage; disk space"),
        words("disk; file system; volume; storage; disk space; partition; raid array; disk write; mount"),
    ),
    "network": Label(
        words("network; connectivity; network connection"),
        words("network; network link; socket; route; switch; uplink; network connection; tcp connection; vpn tunnel"),
    ),
    "memory": Label(
        words("memory; ram; memory usage"),
        words("memory; heap; swap; ram; memory allocation; garbage collection; memory usage; heap size"),
    ),
    "authentication": Label(
        words("authentication; login; auth"),
        words("login; sign-in; token; session; credentials; password; authentication; single sign-on; api key"),
    ),
    "database": Label(
        words("database; db; sql"),
        words("database; query; transaction; table; replica; sql statement; database migration; index; replication"),
    ),
    "certificate": Label(
        words("certificate; tls; certificates"),
        words("certificate; tls handshake; ssl certificate; certificate renewal; certificate chain; tls; x509 check"),
    ),
    "deploy": Label(
        words("deployment; build; release"),
        words("deployment; build; release; rollout; pipeline; test run; rollback; compile step; build job"),
    ),
    "payment": Label(
        words("payment; payments; billing"),
        words("payment; checkout; refund; charge; card payment; payment gateway; invoice; payment provider; billing"),
    ),
    "backup": Label(
        words("backup; backups; backup job"),
        words("backup; snapshot; restore; nightly backup; backup job; backup archive; backup copy; backup storage"),
    ),
    "configuration": Label(
        words("configuration; config; settings"),
        words("configuration; config file; setting; option; environment variable; yaml file; settings; config value"),
    ),
    "security": Label(
        words("security; attack; intrusion"),
        words("attack; malware; intruder; port scan; brute force; injection; ransomware; firewall; suspicious"),
    ),
    "container": Label(
        words("container; kubernetes; pods"),
        words("container; pod; kubernetes node; image pull; probe; cluster node; replica set; docker container"),
    ),
    "mail": Label(
        words("mail; email; mail server"),
        words("mail; smtp; mail server; mailbox; newsletter; outgoing mail; mail delivery; email; attachment"),
    ),
}
# Its things are attacks and take no predicate.
WHOLE = ("security",)
# Pairs that may both be right for one line.
CONFLICTS = {
    frozenset(pair.split())
    for pair in lines("""
        network container
        disk backup
        memory container
        authentication security
        authentication certificate
        deploy container
        deploy configuration
        security network
        security certificate
    """)
}
# What is said of a subject. Shared by all splits.
PREDICATES = {
    "info": words(
        """ok; started; finished; completed; completed successfully; is ready; succeeded; passed; loaded; is healthy;
        is up to date; done without errors; check passed; initialized; running normally; status ok; updated; registered;
        opened; finished in {ms2} ms; all checks passed; created; scheduled; verified"""
    ),
    "warning": words(
        """is slow; is almost full; will expire soon; retrying; is degraded; near the limit; usage is high; is delayed;
        took {ms} ms, longer than usual; is unstable; deprecated, use the new one; close to the limit; slower than usual;
        at 9{d} percent; is growing; retry {d}; is rising; will be full soon; should be checked soon; above threshold;
        slow response; is behind; uses an old version; limit nearly reached"""
    ),
    "error": words(
        """failed; error; failed with code {n}; was refused; could not be opened; unable to start; exception; crashed;
        was rejected; not found; aborted; is invalid; is broken; access denied; could not connect; cannot be read;
        unexpected error; failed after {d2} attempts; was interrupted; returned an error; lost; does not respond;
        internal error; exited with code {d}; failure"""
    ),
    "critical": words(
        """is down for all users; is completely down; outage, nothing works; fatal failure, data lost;
        dead on all nodes; down, all services are offline; down in production; unrecoverable, data is lost;
        emergency, everything stopped; is corrupt, data lost; failed on every node, site is offline;
        total outage in production; destroyed, all data is gone; offline, all customers are affected; panic, system halted;
        down, nobody can work"""
    ),
    "recovered": words(
        """restored; is back; recovered; works again; is available again; is back to normal; resolved; problem fixed;
        is healthy again; running again; reconnected; succeeded after a retry; recovered after {n} seconds;
        is up again; working again; repaired; succeeded at the second attempt; back online; problem solved;
        restarted and works again"""
    ),
}
NOISE = words(
    """heartbeat ok; health check ok; GET /health 200; metrics sent; request {id} done; worker {d} idle;
    scheduled job {id} started; statistics written; timer fired; task {id} queued; cron job cleanup ran"""
)
# Around the message, dealt out by split.
WRAPS = lines("""
{m}.
{svc}: {m}
{m} on {host}
{m} ({svc})
{svc} {m}
[{host}] {m}
{host}: {m}
{m} - {svc}
{m} [{id}]
event {id}: {m}
{svc} on {host}: {m}
{m}, host {host}
{m} (host {host})
task {id}: {m}
{m} (service {svc})
service {svc}: {m}
event from {host}: {m}
{m}, service {svc}
event from {svc}: {m}
{m} from {host}
<{svc}> {m}
{m} (id {id})
task {id} on {host}: {m}
{svc} - {m}
{m}, id {id}
[{svc}] {m}
id {id}: {m}
host {host}: {m}
{m} - {host}
{m} [{host}]
""")
FORMATS = lines("""
{level} {message}
{level}: {message}
[{level}] {message}
{date} {time} {level} {message}
{date}T{time}Z {level} {message}
{time} {level} {message}
{date} {time} [{level}] {message}
{level} {service}: {message}
{time} {service} {level}: {message}
{date} {time} {level} [{service}] {message}
level={level} msg="{message}"
time={time} level={level} service={service} msg="{message}"
{level} - {message}
{date} {time} - {service} - {level} - {message}
{service}[{id}]: {level}: {message}
[{time}] [{level}] {message}
{level} [{service}] {message}
{level} | {service} | {message}
{date} {level} {message}
{time} [{service}] {level} {message}
({level}) {service}: {message}
{service} {level} {message}
<{level}> {date} {time} {message}
level={level} service={service} {message}
""")
PRINTED = {
    "info": words("INFO; info; Info; DEBUG; NOTICE; I"),
    "warning": words("WARN; WARNING; warn; warning; Warning; W"),
    "error": words("ERROR; error; Error; ERR; err; E"),
    "critical": words("CRITICAL; FATAL; critical; EMERG; ALERT; fatal"),
}
SEVERITIES = {
    "info": Label(
        words("info; information; informational; normal; ok"),
        words("all normal; nothing wrong; routine message; success; everything fine"),
    ),
    "warning": Label(
        words("warning; warn; caution; early warning"),
        words("may become a problem; slow or almost full; should be watched; not yet an error; close to a limit"),
    ),
    "error": Label(
        words("error; failure; failed; err"),
        words("something failed; one thing does not work; a request was refused; failed or crashed; a single failure"),
    ),
    "critical": Label(
        words("critical; fatal; emergency; outage"),
        words("everything is down; total outage; data lost; all users affected; nothing works"),
    ),
}
ACTIONS = {
    "ignore": Label(
        words("ignore; nothing; no action; do nothing; none"),
        words("nothing to do; all is fine; no action needed; normal or solved"),
    ),
    "watch": Label(
        words("watch; monitor; observe; keep watching"),
        words("warnings; not yet a failure; may become a problem; look at it later"),
    ),
    "ticket": Label(
        words("ticket; investigate; open a ticket; fix; repair"),
        words("errors; something failed; find the cause; a single failure"),
    ),
    "page": Label(
        words("page; call on call; wake somebody; alarm; escalate now"),
        words("outages; everything is down; data lost; emergency"),
    ),
}
LADDERS = (
    ("info", "warning", "error", "critical"),
    ("normal", "warning", "error", "outage"),
    ("harmless", "warning", "serious", "critical"),
    ("low", "medium", "high", "critical"),
    ("nothing wrong", "may become a problem", "something failed", "everything is down"),
    ("no problem", "small problem", "serious problem", "total outage"),
)
STATUSES = {
    "fine": Label(words("fine; ok; normal; healthy"), words("no problem; all is fine; routine")),
    "broken": Label(words("broken; failing; not solved; open problem"), words("still failing; a problem; not solved")),
    "solved": Label(words("solved; recovered; fixed; resolved"), words("works again; problem solved; back to normal")),
}

SEVERITY_IDS = ("severity", "level", "log_level", "sev", "importance", "urgency")
AREA_IDS = ("component", "area", "cause", "category", "topic", "subsystem", "problem_area")
ACTION_IDS = ("action", "next_step", "reaction", "todo", "response")
STATUS_IDS = ("status", "state", "outcome", "situation")
SEVERITY_ASKS = lines("""
What is the severity?
How severe is it?
How severe is the problem?
How serious is this log entry?
Which level does this log have?
Severity of the log line
How bad is it?
How serious is it?
Rate the severity.
What log level fits?
How bad is the problem?
How serious is the problem?
Classify the severity.
What is the severity of the log?
What is the level?
How critical is the problem?
Which severity fits this log?
Rate the severity of the log.
Log level
How bad is this?
How critical is it?
Severity
Level of the log entry
Which level fits?
Which severity does it have?
""")
AREA_ASKS = lines("""
What is it about?
Which area is affected?
What is the cause?
Which area does the log concern?
Where is the problem?
Which area is the problem in?
What does the log concern?
Which category fits?
What is the cause of the problem?
Which system is the log about?
What is the topic of this log?
Affected area
Which area is it?
Choose the area.
What is the log about?
Which area is the cause?
What kind of problem is it?
Category of the log entry
Which topic fits this log?
Which category is affected?
Name the affected area.
Which system is affected?
Area of the problem
What kind of log is it?
Choose the category.
""")
ACTION_ASKS = lines("""
What should be done?
What is the next step?
How should we react?
Which action fits?
What should the team do?
Next action
What should we do?
Choose the action.
What to do about this log?
What should be done next?
Which action is right?
What is the right action?
How should the team react?
What should we do now?
What is the next action?
Action for this log
What should the team do now?
""")
STATUS_ASKS = lines("""
What is the state now?
How is it now?
Is it fine, broken or solved?
What is the current status?
Current state
What is the status?
What is the state of the problem?
What is the current state?
Status of the problem
Which state is it in now?
What is the status now?
How is the system now?
Current status
In which state is the system?
""")
SERVICE_ASKS = lines("""
Which service does it name?
Which service is it?
Name the service.
Which service is named?
Which service is named here?
Service name
Which service does the log name?
Which service is in the log?
""")
ABOUT_IDS = ("about", "match", "concerns", "is_topic", "related")
ABOUT = lines("""
Is it about {a}?
Is this about {a}?
Does the log concern {a}?
Is the problem {a}?
Is {a} affected?
Does it concern {a}?
Does it have to do with {a}?
Is {a} the topic?
Is the log about {a}?
Does this concern {a}?
Is the problem about {a}?
Is the area {a}?
Is this log line about {a}?
Is it related to {a}?
Does this log concern {a}?
Is the entry about {a}?
Does this have to do with {a}?
Is {a} the cause?
Is the topic {a}?
Is this log about {a}?
Is the cause {a}?
Is this related to {a}?
Does the log line concern {a}?
Is the log related to {a}?
Is {a} the problem?
""")
# Around what a fact says, dealt out by split; the facts' own words are shared by all splits.
IS_FRAMES = lines("""
Is it {x}?
Is this {x}?
Is the log {x}?
Is this log {x}?
Is it {x} now?
Is the log line {x}?
Is this log entry {x}?
Is it {x}? Yes or no.
Is this log line {x}?
Is the entry {x}?
Is it really {x}?
Is this {x} now?
Is this {x}? Yes or no.
Is this really {x}?
True if it is {x}.
Yes if it is {x}.
True if the log is {x}.
Yes if this is {x}.
""")
CLAUSE_FRAMES = lines("""
{c}?
Is it true that {c}?
Is it so that {c}?
True if {c}.
Yes if {c}.
Check whether {c}.
{c}? Yes or no.
{c}: yes or no?
{c}: true or false?
Yes if {c}, else no.
Is it true or false that {c}?
{c}? True or false?
True if {c}, else false.
{c}.
Check if {c}.
Is it so or not: {c}?
whether {c}
""")
# Fact -> ids, severities for which it holds, severities for which it does not, what it is, what is the case.
FACTS = {
    "failure": (
        ("failed", "is_error", "failure", "error"),
        ("error", "critical"),
        ("info",),
        ("an error", "a failure", "a failed action", "an error message"),
        ("something failed", "there is an error", "an error occurred", "there is a failure", "something is broken"),
    ),
    "human": (
        ("act", "needs_action", "needs_human", "needs_attention"),
        ("error", "critical"),
        ("info", "recovered"),
        ("in need of action", "urgent", "in need of attention"),
        ("somebody must act", "a person must look at it", "action is needed", "attention is needed",
         "somebody must fix it"),
    ),
    "solved": (
        ("solved", "resolved", "recovered", "fixed"),
        ("recovered",),
        ("error", "critical"),
        ("solved", "fixed", "resolved", "recovered", "over"),
        ("the problem is solved", "it works again", "it is back to normal", "it recovered", "the problem is over",
         "the problem is fixed"),
    ),
    "outage": (
        ("outage", "critical", "is_down", "emergency"),
        ("critical",),
        ("info", "warning", "recovered"),
        ("an outage", "an emergency", "critical", "a total outage"),
        ("everything is down", "there is an outage", "all users are affected", "the service is down"),
    ),
    "warning": (
        ("warning", "is_warning", "warn"),
        ("warning",),
        ("info", "critical", "recovered"),
        ("a warning", "only a warning", "just a warning"),
        ("there is a warning", "it may become a problem", "a limit is near", "the log warns of something"),
    ),
    "normal": (
        ("normal", "routine", "ok", "is_fine"),
        ("info",),
        ("error", "critical", "warning"),
        ("normal", "routine", "fine", "ok", "only information"),
        ("all is well", "everything is normal", "all is fine", "it is only information", "everything is ok"),
    ),
}  # fmt: skip
