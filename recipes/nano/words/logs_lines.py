"""Log messages: component -> severity (info, warning, error, critical, recovered) -> templates.

`{host}`, `{svc}`, `{path}`, `{n}`, `{ms}`, `{ip}`, `{user}`, `{table}`, `{id}`, `{big}` and the shared slots are invented.
"""

EVENTS = {
    "disk": {
        "info": """
disk check of {path} finished, {n} percent used
mounted {path} read-write
cleaned {n} old files in {path}
volume {path} has {big} GB of free space
rotated log files in {path}
""",
        "warning": """
disk usage of {path} is at 8{d} percent
[only|just] {n} GB of space left on {path}
disk {path} is slow, write took {ms} ms
file system {path} is filling up, 9{d} percent in use
volume {path} will be full in {n2} days at this rate
""",
        "error": """
Traceback (most recent call last): File "{svc}.py", line {n}, in main: OSError: [Errno 28] no space left on device
write error: disk full while saving {id}.dat to {path}
write to {path}/data failed: no space left on device
cannot write {path}/cache.tmp: disk full
I/O error on device sd{letter}, sector {big}
failed to mount {path}: bad superblock
could not save file {path}/report.csv: disk quota exceeded
read error on {path}: input/output error
unable to create temporary file in {path}: no free space
OSError: [Errno 28] No space left on device: '{path}/out.log'
""",
        "critical": """
disk {path} is full, all writes are refused, service {svc} stopped
RAID array md{d} failed, data may be lost
two disks of the storage pool are dead, volume {path} is offline
file system {path} is corrupt and was remounted read-only, {svc} is down
""",
        "recovered": """
old files deleted, disk {path} has {n} GB free again
disk {path} is writable again
RAID array md{d} rebuilt, all disks healthy
space was freed on {path}, writing works again
""",
    },
    "network": {
        "info": """
connected to {host}:{port}
network interface eth{d} is up, 1000 Mbit/s
opened connection to {host} from {ip}
link speed of eth{d} is 10 Gbit
listening on port {port}
""",
        "warning": """
packet loss to {host} is at {d2} percent
latency to {host} rose to {ms} ms
connection to {host} is unstable, retrying
slow network link on eth{d}, {d2} percent of packets dropped
reconnect attempt {d2} to {host}
""",
        "error": """
Traceback (most recent call last): File "{svc}.py", line {n}, in main: ConnectionResetError: [Errno 104] connection reset by peer
dial tcp {ip}:{port}: connect: connection refused
ssh: connect to host {host} port 22: network is unreachable
connection to {host}:{port} refused
network is unreachable: {ip}
lost connection to {host}: connection reset by peer
connect() to {host}:{port} failed: no route to host
socket error while sending to {ip}: broken pipe
ConnectionError: could not reach {host} on port {port}
link on eth{d} went down
upstream {host} closed the connection unexpectedly
""",
        "critical": """
all network links are down, cluster is split and {svc} is offline
no connection to any of the {d2} nodes, site {city} is unreachable
core switch {host} is dead, the whole data centre in {city} has no network
all uplinks lost, nothing can be reached from outside
""",
        "recovered": """
connection to {host} restored
network link eth{d} is up again
reconnected to {host}:{port} after {d2} attempts
{host} is reachable again
""",
    },
    "memory": {
        "info": """
memory usage {n} percent
garbage collection freed {big} MB
heap size set to {big} MB
memory check passed, {big} MB free
""",
        "warning": """
memory usage is at 9{d} percent
heap is almost full, garbage collection takes {ms} ms
process {svc} uses {big} MB, limit is close
swap usage is rising, {n} percent used
possible memory leak in {svc}, heap grows by {d2} MB per hour
""",
        "error": """
Traceback (most recent call last): File "{svc}.py", line {n}, in main: MemoryError
fatal: cannot fork, memory allocation failed in {svc}
out of memory: killed process {big} ({svc})
java.lang.OutOfMemoryError: Java heap space
container {svc}-{d} was OOMKilled
cannot allocate {big} MB of memory
MemoryError: unable to allocate array of {big} MB
allocation failed, heap limit reached
worker {d} was killed because it ran out of memory
""",
        "critical": """
host {host} is out of memory, all services are being killed
no memory left, kernel panic on {host}
{svc} cannot start on any node: out of memory, service is down
memory exhausted on all nodes of the cluster, requests are rejected
""",
        "recovered": """
memory usage is back to {n} percent
{svc} was restarted and memory is normal again
heap is down to {n} percent, requests are accepted again
memory pressure is over on {host}
""",
    },
    "authentication": {
        "info": """
user {user} logged in from {ip}
session of {user} opened
user {user} changed the password
token issued for {user}, valid for one hour
user {user} logged out
""",
        "warning": """
login of {user} failed: wrong password, attempt {d2}
token of {user} expires soon
sign-in of {user} with an old password
session of {user} expired, new login needed
login attempt with unknown user name {user}
""",
        "error": """
sshd: authentication failure for {user} from service account
Kerberos ticket of {svc} is invalid, authentication rejected
API key of {svc} was refused: unauthorized
authentication failed for service account {svc}: invalid credentials
401 Unauthorized: token of {svc} is not valid
login server {host} rejected the key of {svc}
could not verify token: signature is wrong
LDAP bind failed for {svc}: invalid password
OAuth token refresh failed: invalid_grant
access token expired, call to {svc} was rejected with 401
""",
        "critical": """
login service is down, no user can sign in
identity provider {host} is not answering, all logins fail
signing key of the login service is lost, every token is rejected
single sign-on is broken for all {big} users
""",
        "recovered": """
logins work again
new token was accepted, {svc} is signed in again
identity provider {host} answers again, sign-in works
credentials were renewed and authentication succeeded
""",
    },
    "database": {
        "info": """
query on {table} took {d2} ms
database migration {d2} finished
connected to database {table} on {host}
checkpoint complete: wrote {big} buffers
index on {table} rebuilt
""",
        "warning": """
slow query on table {table}: {ms} ms
connection pool of the database is 9{d} percent used
replica of {table} is {d2} seconds behind
many open transactions on {table}, {n} waiting
table {table} needs a vacuum soon
""",
        "error": """
Traceback (most recent call last): File "{svc}.py", line {n}, in main: sqlite3.OperationalError: database is locked
ORA-0{n}: table or view {table} not found
insert into {table} failed, column {id} has the wrong type
query on {table} failed: syntax error near SELECT
deadlock detected on table {table}, transaction rolled back
could not connect to database {table} on {host}
duplicate key value violates unique constraint of {table}
psycopg2.OperationalError: server closed the connection
relation "{table}" does not exist
too many connections to the database, {svc} was rejected
SQL error 1213 while updating {table}, transaction aborted
""",
        "critical": """
database {table} is down, no replica took over
primary database {host} crashed, all writes fail
data of table {table} is corrupt, database stopped
replication broke and the database cluster has no leader
""",
        "recovered": """
database {table} is back, all queries succeed
replica was promoted, database accepts writes again
transaction on {table} was retried and committed
connection to database {table} was restored
""",
    },
    "certificate": {
        "info": """
certificate for {domain2} renewed, valid for 90 days
TLS certificate of {host} loaded
certificate check of {domain2} passed
new certificate installed on {host}
""",
        "warning": """
certificate for {domain2} expires in {d2} days
TLS certificate of {host} will run out soon
weak cipher in use on {host}, certificate uses an old algorithm
renewal of the certificate for {domain2} is due
""",
        "error": """
curl: (60) SSL certificate problem: certificate has expired
ACME challenge for {domain2} failed, certificate not renewed
certificate for {domain2} has expired
TLS handshake with {host} failed: certificate is not trusted
x509: certificate signed by unknown authority
SSL error: host name {host} does not match the certificate
renewal of the certificate for {domain2} failed
certificate chain of {host} is incomplete, handshake aborted
SSLError: CERTIFICATE_VERIFY_FAILED for {domain2}
""",
        "critical": """
certificate of the main site {domain2} expired, all visitors are blocked
root certificate was revoked, every TLS connection fails
all services are down because their certificates have expired
gateway {host} has no valid certificate, all traffic is refused
""",
        "recovered": """
certificate for {domain2} was replaced, handshakes work again
renewal of the certificate worked at the second attempt
TLS connections to {host} succeed again
new certificate is in place and trusted, site is back
""",
    },
    "deploy": {
        "info": """
all {n} tests passed, build is green
Job succeeded in {n} seconds
image of {svc} {version} was built and pushed
deployment of {svc} {version} finished
build {big} passed, {n} tests
released version {version} of {svc}
rollout of {svc} started
pipeline {big} succeeded in {n} seconds
""",
        "warning": """
rollout of {svc} {version} is slow, {d2} of {n} pods ready
build {big} passed with {d2} warnings
deployment of {svc} uses a deprecated option
flaky test in build {big}, passed at second try
""",
        "error": """
error: test_{table} failed, build stopped
Job failed: exit code 1 in step build
merge broke the build: {d2} compile errors in {svc}
upload of the package {version} to the registry failed, release stopped
deployment of {svc} {version} failed
build {big} failed: {d2} tests did not pass
npm ERR! build step exited with code 1
rollout of {svc} was aborted: pods are not ready
compile error in main.go line {n}, build stopped
docker build failed: file not found
pipeline {big} failed in stage test
release {version} could not be published
""",
        "critical": """
release {version} broke production, every page returns an error
deployment of {svc} {version} took down all instances
rollback of {svc} failed, production is down
bad release {version}: {svc} is offline for all customers
""",
        "recovered": """
rollback of {svc} to {version} succeeded
second deployment of {svc} worked
build is green again
previous version of {svc} was restored, all pods are ready
""",
    },
    "payment": {
        "info": """
payment {id} of {amount} captured
refund {id} sent to the bank
invoice {id} was paid
payment provider answered in {ms2} ms
""",
        "warning": """
payment {id} is pending for {n} minutes
payment provider is slow, answer took {ms} ms
card of customer {big} expires this month
payment {id} will be retried
""",
        "error": """
card provider returned an error, payment {id} was not booked
webhook of payment {id} has a wrong amount, payment stopped
payment {id} failed: internal error of the provider
charge of {amount} could not be processed
payment gateway returned error 502 for payment {id}
could not capture payment {id}: invalid answer from the gateway
checkout {id} aborted, payment was not confirmed
refund {id} failed at the payment provider
PaymentError: amount of payment {id} does not match
""",
        "critical": """
payment gateway is down, no customer can pay
all payments have failed for {n} minutes
checkout is broken, every payment is refused
checkout is down for everybody, no payment can be made
""",
        "recovered": """
payment {id} succeeded at the second try
payment gateway is back, checkout works again
payments go through again
pending payment {id} was captured after all
""",
    },
    "backup": {
        "info": """
backup of {table} finished, {big} MB
nightly backup started
snapshot {id} created
backup {id} verified
""",
        "warning": """
backup of {table} took {n} minutes, longer than usual
last backup of {table} is {d2} days old
backup skipped {d2} open files
backup storage is 8{d} percent full
""",
        "error": """
pg_dump of {table} failed, no backup was written
backup archive {id} is incomplete: copy stopped at {n} percent
backup of {table} failed
snapshot {id} could not be created
nightly backup aborted after {n} minutes
restore test of backup {id} failed: archive is damaged
backup job exited with code {d}
upload of backup {id} was interrupted
""",
        "critical": """
all backups of {table} are damaged and cannot be restored
backup storage is lost, no backup exists any more
no backup for {n} days and the restore failed
backup vault was deleted, data cannot be recovered
""",
        "recovered": """
backup of {table} succeeded at the second run
repeated backup finished without errors
snapshot {id} was created after a retry
backup storage is reachable again and backup is complete
""",
    },
    "configuration": {
        "info": """
configuration loaded from {path}/app.yaml
setting log_level changed to info
config file {path}/app.conf is valid
reloaded configuration of {svc}
""",
        "warning": """
option max_size is deprecated, use limit instead
config value retries is missing, using the default {d}
unknown option in {path}/app.yaml was ignored
environment variable LOG_DIR is not set, using {path}
""",
        "error": """
Traceback (most recent call last): File "{svc}.py", line {n}, in main: KeyError: 'SMTP_HOST' missing in settings
invalid value for option limit: expected a number
unknown key in {path}/settings.toml, {svc} refuses to start
invalid configuration: port must be a number
cannot read config file {path}/app.yaml
missing setting DATABASE_URL, {svc} cannot start
yaml: line {n}: could not find expected ':'
KeyError: 'API_KEY' is not set in the environment
config of {svc} is not valid: unknown field in line {n}
""",
        "critical": """
wrong configuration was rolled out, all instances of {svc} are down
configuration of the cluster is lost, nothing can start
config error on every node, {svc} is offline
configuration server is dead, no service gets its settings
""",
        "recovered": """
configuration was corrected, {svc} is running
old config restored, {svc} started
setting DATABASE_URL was added and {svc} is up again
valid configuration loaded, service works again
""",
    },
    "security": {
        "info": """
security scan finished, nothing found
firewall rules updated
virus signatures are up to date
audit log of {user} archived
""",
        "warning": """
{n} failed logins for {user} from {ip} within a minute
port scan from {ip} was blocked
suspicious request from {ip}: GET /admin/../../etc/passwd
login of {user} from a new country
""",
        "error": """
{big} wrong passwords for root from {ip}
web shell detected in {path}/images
cross-site scripting attempt blocked, source {ip}
unusual data transfer of {big} GB to {ip} by {user}
SQL injection attempt from {ip} in parameter id
brute force attack on SSH from {ip}, {big} attempts
malware found in {path}/upload.exe
user {user} tried to read {path}/secrets without permission
request with a forged token from {ip}
unknown program opened port {port} and sends data to {ip}
""",
        "critical": """
intruder from {ip} got root access on {host}
ransomware is encrypting files on {host}
customer data was copied to {ip} by an unknown process
admin account {user} was taken over by an attacker
""",
        "recovered": """
attack from {ip} was blocked, no access was gained
malware was removed, {host} is clean
attacker's address {ip} was banned and the attack is over
stolen key was revoked, no further access
""",
    },
    "container": {
        "info": """
Normal Scheduled: placed pod {svc}-{id2} on {host}
Normal Pulled: image {svc}:{version} is present
pod {svc}-{id2} started
pulled image {svc}:{version}
scaled {svc} to {d2} replicas
container {svc} is ready
node {host} joined the cluster
""",
        "warning": """
pod {svc}-{id2} was restarted {d2} times
readiness probe of {svc} failed once
container {svc} is starting slowly
node {host} is under pressure, pods are moved
""",
        "error": """
Warning BackOff: restarting failed container {svc} in pod {svc}-{id2}
Warning FailedScheduling: 0 of {d2} nodes are available
Warning Unhealthy: liveness probe failed for {svc}-{id2}
ErrImagePull: cannot pull image {svc}:{version}
Back-off restarting failed container {svc}
pod {svc}-{id2} is in CrashLoopBackOff
ImagePullBackOff: image {svc}:{version} was not found
liveness probe of {svc} failed, container is killed
pod {svc}-{id2} cannot be scheduled: no node fits
container {svc} exited with code 137
""",
        "critical": """
all pods of {svc} are crashing, service is down
cluster has lost {d2} of its nodes, pods cannot be placed
control plane of the cluster is down
no healthy pod of {svc} is left in production
""",
        "recovered": """
pod {svc}-{id2} is running and ready again
container {svc} restarted and passes its probes
all {d2} replicas of {svc} are ready again
new node joined, pods are placed again
""",
    },
    "mail": {
        "info": """
mail {id} sent to {email}
newsletter sent to {big} people
mailbox of {user} has {n} new mails
SMTP server {host} accepted the message
""",
        "warning": """
mail to {email} is delayed, will retry
mailbox of {user} is 9{d} percent full
SMTP server {host} is slow
{d2} mails were marked as spam by the receiver
""",
        "error": """
Undelivered mail returned to sender: {email}
relay access denied, mail {id} to {email} not sent
mail to {email} bounced: mailbox does not exist
SMTP error 550 from {host}: message rejected
could not send mail {id} to {email}
mail queue stopped: SMTP server {host} refused the sender
attachment too large, mail {id} was not sent
""",
        "critical": """
mail server {host} is down, no mail can be sent or received
all outgoing mail is blocked, {big} messages are lost
our mail server is on every block list, all mail is rejected
mail storage is destroyed, mailboxes of all users are gone
""",
        "recovered": """
mail {id} was delivered at the second attempt
mail server {host} accepts messages again
delayed mails were sent
SMTP connection is back, mail goes out again
""",
    },
}
