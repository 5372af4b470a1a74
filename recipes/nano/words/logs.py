"""What the logs family asks: components, severities, actions, and phrasings."""

from recipes.nano.wording import Fact, Kind, lines, words

COMPONENTS = {
    "disk": Kind(
        words("disk; storage; file system; disk space; volumes; hard disk; filesystem"),
        words(
            "full disks; storage space; file systems; I/O errors; volumes; no space left; write failures; RAID arrays"
        ),
    ),
    "network": Kind(
        words("network; connection; networking; connectivity; network link; links"),
        words(
            "lost connections; unreachable hosts; network links; packet loss; refused connections; routes; switches; sockets"
        ),
    ),
    "memory": Kind(
        words("memory; ram; out of memory; memory usage; heap; oom"),
        words("memory; heap space; out-of-memory kills; memory leaks; allocations; swap; RAM"),
    ),
    "authentication": Kind(
        words("authentication; login; auth; sign in; credentials; identity; tokens"),
        words("logins; wrong passwords; tokens; credentials; sign-in; sessions; identity providers; user accounts"),
    ),
    "database": Kind(
        words("database; db; sql; database server; data store; queries"),
        words("queries; tables; transactions; replication; deadlocks; SQL errors; database connections; replicas"),
    ),
    "certificate": Kind(
        words("certificate; tls; certificates; ssl; tls certificate; x509"),
        words("expired certificates; TLS handshakes; untrusted certificates; SSL errors; certificate renewal; ciphers"),
    ),
    "deploy": Kind(
        words("deployment; build; release; deploy; ci; rollout; pipeline"),
        words(
            "failed builds; releases; rollouts; pipelines; tests in the build; rollbacks; new versions; compile errors"
        ),
    ),
    "payment": Kind(
        words("payment; payments; billing; checkout; payment provider; card payments"),
        words("payments; declined cards; the payment gateway; refunds; charges; checkout; captured amounts"),
    ),
    "cpu": Kind(
        words("cpu; processor; cpu load; load; compute; processor load"),
        words("CPU load; processors; overheating; stuck processes; load average; temperature of the CPU"),
    ),
    "queue": Kind(
        words("queue; message queue; messaging; message broker; broker; messages"),
        words("messages; consumers; queues; the broker; dead letters; backlogs; undelivered messages; publishing"),
    ),
    "backup": Kind(
        words("backup; backups; backup job; snapshots; archive; restore"),
        words("backups; snapshots; restores; nightly copies; archives; backup storage; backup jobs"),
    ),
    "dns": Kind(
        words("dns; name resolution; domain names; name server; resolver"),
        words("host names that do not resolve; name servers; DNS lookups; zones; DNS records; domains"),
    ),
    "timeout": Kind(
        words("timeout; slow response; timeouts; latency; no answer in time; response time"),
        words(
            "requests that time out; slow answers; exceeded deadlines; no response in time; time limits; gateway timeouts"
        ),
    ),
    "configuration": Kind(
        words("configuration; config; settings; config error; misconfiguration; setup"),
        words(
            "settings; config files; missing variables; invalid options; environment variables; defaults; YAML errors"
        ),
    ),
    "security": Kind(
        words("security; attack; intrusion; security incident; threat; abuse"),
        words("attacks; malware; intruders; injection attempts; brute force; port scans; stolen data; ransomware"),
    ),
    "container": Kind(
        words("container; kubernetes; pods; containers; cluster; orchestration; k8s"),
        words("pods; containers; nodes; images; probes; replicas; crash loops; scheduling of pods"),
    ),
    "mail": Kind(
        words("mail; email; mail server; smtp; mail delivery; mailbox"),
        words("mails; bounced messages; SMTP; mailboxes; the mail server; outgoing mail; newsletters"),
    ),
    "hardware": Kind(
        words("hardware; device; devices; machine; physical device; equipment"),
        words(
            "fans; power supplies; printers; sensors; batteries; broken devices; temperature in the room; power cuts"
        ),
    ),
}
CONFLICTS = {
    frozenset(pair.split())
    for pair in lines("""
    network timeout
    network dns
    security authentication
    disk hardware
    disk backup
    cpu hardware
    memory container
    deploy container
    network hardware
    certificate network
    cpu timeout
    deploy configuration
    network mail
    queue mail
    database disk
    network database
    payment timeout
    memory cpu
    memory hardware
    configuration container
    configuration database
    certificate security
    backup hardware
    disk container
    """)
}
COMPONENT_IDS = words(
    "component; cause; area; subsystem; category; part; topic; source; root_cause; affected; domain; kind; Component; trouble"
)
COMPONENT_ASKS = lines("""
Which component is the log about?
What is the cause?
Which part of the system is affected?
Where is the problem?
Classify the log by component.
What kind of event is this?
Pick the subsystem.
Which area does the entry belong to?
What does the event concern?
Find the component that is concerned.
Root cause of the event
Choose the category of this log entry.
Which team's system is this: name the area.
What is the log line mainly about?
Which of these is affected?
The affected subsystem
Name the part of the system that the message speaks of.
Which resource is it about?
""")
# What the levels mean; the order is debug, info, warning, error, critical.
SEVERITIES = ("debug", "info", "warning", "error", "critical")
PRINTED = {
    "debug": ("DEBUG", "debug", "TRACE", "D"),
    "info": ("INFO", "info", "NOTICE", "Info"),
    "warning": ("WARN", "WARNING", "warning", "warn"),
    "error": ("ERROR", "error", "ERR", "Error"),
    "critical": ("CRITICAL", "FATAL", "crit", "EMERG"),
}
SEVERITY_KINDS = {
    "debug": Kind(
        words("debug; trace; debugging; verbose"),
        words("details for developers; only for debugging; traces; technical details"),
        plain=True,
    ),
    "info": Kind(
        words("info; information; normal; notice; ok; routine"),
        words(
            "normal operation; nothing is wrong; just information; everything works; all as planned; a routine message"
        ),
        plain=True,
    ),
    "warning": Kind(
        words("warning; warn; attention; caution"),
        words(
            "not yet a failure; may become a problem; something to watch; close to a limit; a sign of coming trouble"
        ),
        plain=True,
    ),
    "error": Kind(
        words("error; failure; err; fault; failed"),
        words("something failed; an operation did not work; one part is broken; a failed action; a single failure"),
        plain=True,
    ),
    "critical": Kind(
        words("critical; fatal; emergency; outage; disaster"),
        words(
            "the whole service is down; an outage; data is lost or everybody is affected; a disaster; everything has stopped"
        ),
        plain=True,
    ),
}
COARSE_KINDS = {
    "low": Kind(
        words("low; none; minor; harmless; p4; sev4"),
        words("normal operation; nothing is wrong; only information; harmless; no failure and no warning"),
        plain=True,
    ),
    "medium": Kind(
        words("medium; moderate; middle; elevated; p3; sev3"),
        words("a warning; not yet a failure; close to a limit; something to watch; may become a problem"),
        plain=True,
    ),
    "high": Kind(
        words("high; severe; serious; major; p1; sev1"),
        words("something failed; a failure or an outage; broken; an error or worse; does not work"),
        plain=True,
    ),
}
SEVERITY_IDS = words(
    "severity; level; log_level; importance; criticality; seriousness; sev; priority; impact; Severity; alert_level"
)
SEVERITY_ASKS = lines("""
How severe is it?
What is the severity?
Which level does the entry have?
Severity of the event
How serious is this log message?
Choose the log level.
How bad is it?
Rate the severity.
Which severity fits?
How critical is the event?
Classify the severity of the log.
What level of alert is this?
How grave is the problem?
Assess how bad the situation is.
Judge the impact.
""")
# Ladders over debug or info, warning, error, critical.
SEVERITY_LADDERS = (
    (("normal", "warning", "error", "critical"), (0, 1, 2, 3)),
    (("nothing wrong", "may become a problem", "something failed", "everything is down"), (0, 1, 2, 3)),
    (("information only", "worth watching", "failure of one thing", "outage of the whole service"), (0, 1, 2, 3)),
    (("no problem", "warning", "failure or outage"), (0, 1, 2, 2)),
    (("harmless", "a sign of trouble", "broken"), (0, 1, 2, 2)),
    (("none", "minor", "major", "disaster"), (0, 1, 2, 3)),
    (("all well", "warning", "error", "emergency"), (0, 1, 2, 3)),
    (("fine", "could become a failure", "failure", "outage or loss of data"), (0, 1, 2, 3)),
    (("routine or just a warning", "an operation failed", "total outage, data loss or break-in"), (0, 0, 1, 2)),
)
ACTIONS = {
    "page": Kind(
        words("page on call; wake someone; call on duty; page; alarm; escalate now; alert the on call engineer"),
        words(
            "a total outage, break-in or loss of data; the whole service is down; call somebody at once; an emergency for the person on duty; wake the engineer on duty because everything is down"
        ),
        plain=True,
    ),
    "ticket": Kind(
        words("open ticket; create ticket; file a ticket; ticket; report bug; open an issue"),
        words(
            "something failed but the service as a whole runs; a single failure to be repaired later; an error that is no outage; note the failure for the working day; one thing failed, to be fixed in working hours"
        ),
        plain=True,
    ),
    "watch": Kind(
        words("watch; monitor; keep an eye on it; observe; wait and see; keep watching"),
        words(
            "a warning, not yet a failure; a limit is near; keep looking at it; nothing failed yet but it may; watch how it goes on"
        ),
        plain=True,
    ),
    "ignore": Kind(
        words("ignore; nothing; no action; do nothing; none; discard; skip"),
        words(
            "normal operation, or already recovered; nothing needs to be done; all is well or well again; no action needed; routine"
        ),
        plain=True,
    ),
}
ACTION_IDS = words(
    "action; next_step; response; what_to_do; reaction; handling; todo; next_action; decision; measure; Action"
)
ACTION_ASKS = lines("""
What should be done?
What is the next action?
Which reaction is right?
Choose the next step.
How should the operator react?
What is to be done about this log?
Pick the right action.
Which step follows?
Decide what to do with this event.
Next step
How should this be handled?
Recommend an action.
What would a good operator do now?
""")
ABOUT = lines("""
Is the log about {key}?
Is this a {key} problem or message?
Does the entry concern {key} ({a}, {b})?
The event has to do with {key}.
Is {key} the affected component?
Does this belong to the area {key}?
True if the log is about {key}, for example {a} or {b}.
This concerns {key}.
Is it about {key}: {a}, {b} or {c}?
Is {key} what the message speaks of?
Should the {key} people look at this?
Check whether the log is about {key}.
""")
FACTS = {
    "failure": Fact(
        words("failure; failed; is_error; is_failure; error; something_failed; isError; problem"),
        lines("""
        report|s a failure
        Did something fail?
        Is this a failure?
        show|s an error
        Did something break or fail?
        say|s that an operation failed
        Something went wrong.
        -Nothing failed.
        Is there an error in the log?
        tell|s of a failed operation or an outage
        Does the log show a failure?
        An error occurred.
        """),
        {
            "de": lines(
                "Ist etwas fehlgeschlagen?\nMeldet das Protokoll einen Fehler?\nGab es einen Fehler?\nIst etwas schiefgegangen?"
            ),
            "es": lines("¿Ha fallado algo?\n¿Hay un error en el registro?\n¿Se informa de un fallo?\n¿Algo salió mal?"),
            "fr": lines(
                "Quelque chose a-t-il échoué ?\nY a-t-il une erreur dans le journal ?\nUne panne est-elle signalée ?\nQuelque chose s'est-il mal passé ?"
            ),
        },
        (("something failed", "nothing failed"), ("an error or outage", "no failure")),
    ),
    "person": Fact(
        words(
            "needs_human; needs_person; attention_needed; action_needed; escalate; requires_action; page; needsAttention; intervention"
        ),
        lines("""
        need|s the attention of a person
        Does a person have to do something?
        require|s human action
        Must someone look at this?
        call|s for somebody to step in
        Is human help needed?
        Should an engineer be told?
        -No one has to do anything.
        A person must act.
        Is intervention needed?
        -This can be ignored.
        need|s to be looked at by an operator
        """),
        {
            "de": lines(
                "Muss sich ein Mensch darum kümmern?\nIst ein Eingriff nötig?\nMuss jemand handeln?\nBraucht es jetzt einen Techniker?"
            ),
            "es": lines(
                "¿Tiene que actuar una persona?\n¿Hace falta intervenir?\n¿Debe mirarlo alguien?\n¿Se necesita un técnico ahora?"
            ),
            "fr": lines(
                "Une personne doit-elle agir ?\nFaut-il intervenir ?\nQuelqu'un doit-il regarder ?\nFaut-il un technicien maintenant ?"
            ),
        },
        (
            ("an open failure that nobody has mended", "all is well, or well again"),
            ("somebody must act", "nothing to do"),
        ),
    ),
    "recovered": Fact(
        words("recovered; resolved; is_resolved; works_again; back_to_normal; self_healed; isResolved; fixed"),
        lines("""
        show|s that the problem was solved
        Did the system recover?
        say|s that it works again
        Is the problem over?
        end|s with a recovery
        Was the trouble resolved?
        It works again.
        -The problem still exists.
        Is everything back to normal?
        Has the failure been overcome?
        report|s a recovery
        """),
        {
            "de": lines(
                "Ist das Problem behoben?\nFunktioniert es wieder?\nHat sich das System erholt?\nIst die Störung vorbei?"
            ),
            "es": lines(
                "¿Se ha resuelto el problema?\n¿Funciona otra vez?\n¿Se ha recuperado el sistema?\n¿Ha pasado el fallo?"
            ),
            "fr": lines(
                "Le problème est-il résolu ?\nCela marche-t-il de nouveau ?\nLe système s'est-il rétabli ?\nLa panne est-elle finie ?"
            ),
        },
        (("works again", "still broken"), ("the failure is over", "the failure goes on")),
    ),
    "security": Fact(
        words("security; security_relevant; is_attack; attack; intrusion; isSecurity; suspicious"),
        lines("""
        be|~ relevant for security
        Is this about an attack?
        show|s an attack or an intruder
        Is it a security incident?
        point|s to an attack, malware or a break-in
        Should the security team see this?
        This is a security matter.
        -This has nothing to do with security.
        concern|s security
        Is somebody attacking the system?
        Is this security relevant?
        """),
        {
            "de": lines(
                "Ist das sicherheitsrelevant?\nHandelt es sich um einen Angriff?\nSollte das Sicherheitsteam das sehen?\nDeutet das auf einen Einbruch hin?"
            ),
            "es": lines(
                "¿Es relevante para la seguridad?\n¿Se trata de un ataque?\n¿Debe verlo el equipo de seguridad?\n¿Indica una intrusión?"
            ),
            "fr": lines(
                "Est-ce important pour la sécurité ?\nS'agit-il d'une attaque ?\nL'équipe de sécurité doit-elle le voir ?\nEst-ce le signe d'une intrusion ?"
            ),
        },
    ),
    "outage": Fact(
        words("outage; service_down; is_outage; down; offline; isDown; major_incident"),
        lines("""
        report|s a total outage, loss of data or break-in
        Is it worse than one failed operation: an outage, lost data or a break-in?
        Is this an emergency?
        Is this a critical event?
        -This is no emergency.
        describe|s a disaster
        It is a major incident.
        Does it have to be handled at once, even at night?
        """),
    ),
}
