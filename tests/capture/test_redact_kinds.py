"""Kinds of secrets, each as it stands in a conversation: found to the letter, with everything around it left alone.

Keys are put together at run time from a seeded generator, so that no scanner takes this file for a leak. Everything
here was invented for these tests.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable

import pytest

from wwt_vault.capture.secret_names import name_kind

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + "234567"
RANDOM = random.Random(20261130)
TOKEN = "q7W3e9R1t5Y2u8I4o6P0"
UUID = "3b9edacb-4b2e-4245-a07b-59d80a5527a2"


def draw(length: int, alphabet: str = LETTERS) -> str:
    """Return ``length`` random characters, the same ones at every run."""
    return "".join(RANDOM.choice(alphabet) for _ in range(length))


# --- keys by their own form ----------------------------------------------------------------------------------------

KEYS = {
    "openai": "sk-proj-" + draw(48) + "T3BlbkFJ" + draw(48),
    "openai (legacy)": "sk-" + draw(20) + "T3BlbkFJ" + draw(20),
    "anthropic": "sk-ant-api03-" + draw(93) + "AA", "anthropic (oauth)": "sk-ant-oat01-" + draw(60),
    "openrouter": "sk-or-v1-" + draw(64, HEX),
    "groq": "gsk_" + draw(52), "xai": "xai-" + draw(80), "perplexity": "pplx-" + draw(48),
    "replicate": "r8_" + draw(37),
    "hugging face": "hf_" + draw(34, string.ascii_letters), "nvidia": "nvapi-" + draw(64),
    "langsmith": "lsv2_pt_" + draw(32, HEX) + "_" + draw(10, HEX),
    "github": "ghp_" + draw(36), "github app": "ghs_" + draw(36),
    "github fine-grained": "github_pat_" + draw(22) + "_" + draw(59),
    "gitlab": "glpat-" + draw(20), "bitbucket": "ATBB" + draw(32), "atlassian": "ATATT3xFf" + draw(180),
    "npm": "npm_" + draw(36),
    "pypi": "pypi-AgEIcHlwaS5vcmc" + draw(70), "rubygems": "rubygems_" + draw(48, HEX),
    "docker": "dckr_pat_" + draw(27), "sonar": "squ_" + draw(40, HEX),
    "aws id": "AKIA" + draw(16, UPPER), "aws temporary id": "ASIA" + draw(16, UPPER), "google": "AIza" + draw(35),
    "google oauth": "ya29." + draw(60),
    "google secret": "GOCSPX-" + draw(28), "azure": draw(3) + "8Q~" + draw(34),
    "digitalocean": "dop_v1_" + draw(64, HEX), "databricks": "dapi" + draw(32, HEX),
    "supabase": "sbp_" + draw(40, HEX), "planetscale": "pscale_tkn_" + draw(43),
    "tailscale": "tskey-auth-" + draw(30), "cloudflare": "v1.0-" + draw(24, HEX) + "-" + draw(146, HEX),
    "vault": "hvs." + draw(90), "terraform": draw(14) + ".atlasv1." + draw(67), "pulumi": "pul-" + draw(40, HEX),
    "doppler": "dp.pt." + draw(43),
    "grafana": "glsa_" + draw(32) + "_" + draw(8, HEX), "sentry": "sntryu_" + draw(64, HEX),
    "new relic": "NRAK-" + draw(27, UPPER),
    "slack": "xoxb-505877065894-8113114402426-" + draw(24),
    "slack app": "xapp-1-A" + draw(10, UPPER) + "-4567890123456-" + draw(64, HEX),
    "telegram": "7193456782:AA" + draw(33), "twilio": "SK" + draw(32, HEX),
    "sendgrid": "SG." + draw(22) + "." + draw(43), "mailchimp": draw(32, HEX) + "-us12",
    "brevo": "xkeysib-" + draw(64, HEX) + "-" + draw(16), "resend": "re_" + draw(8) + "_" + draw(24),
    "hubspot": "pat-na1-" + UUID,
    "stripe": "sk_live_" + draw(24), "stripe hook": "whsec_" + draw(32), "square": "sq0atp-" + draw(22),
    "shopify": "shpat_" + draw(32, HEX), "facebook": "EAAG" + draw(150),
    "linear": "lin_api_" + draw(40), "notion": "ntn_" + draw(46), "figma": "figd_" + draw(40),
    "postman": "PMAK-" + draw(24, HEX) + "-" + draw(34, HEX),
    "1password": "ops_eyJ" + draw(300), "age": "AGE-SECRET-KEY-1" + draw(58, UPPER), "openshift": "sha256~" + draw(43),
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJ" + draw(40) + "." + draw(43), "bcrypt": "$2b$12$" + draw(53),
    "sha512-crypt": "$6$" + draw(16) + "$" + draw(86),
    "argon2": "$argon2id$v=19$m=65536,t=3,p=4$" + draw(22) + "$" + draw(43),
    "django": "pbkdf2_sha256$600000$" + draw(22) + "$" + draw(43),
}  # fmt: skip
AROUND = [
    "%s", "키는 %s입니다", "%s를 써줘", "이건 %s을", "%s이야", "%s 이걸로", "(%s)", "%s.", "%s, then", "%s입니다.",
    "`%s`", "'%s'", '"%s"', "「%s」", "<%s>",
    "x=%s;", "token:%s", "--flag=%s", "a\\n%s\\nb", '{\\"k\\":\\"%s\\"}', "%3D%s%26", "\\u003d%s\\u0026", "| %s |",
]  # fmt: skip


@pytest.mark.parametrize("issuer", KEYS)
def test_a_key_is_known_by_its_own_form(issuer: str, all_found: Callable[..., None]) -> None:
    """Also with a full stop, a bracket or a particle behind it, escaped before it, and without any keyword."""
    all_found(AROUND, KEYS[issuer])


# --- secrets that fill lines ---------------------------------------------------------------------------------------


def pem(label: str, line_break: str = "\n") -> str:
    """Return a made-up key file."""
    lines = [draw(64, LETTERS + "+/") for _ in range(5)] + [draw(20) + "=="]
    return line_break.join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])


@pytest.mark.parametrize(
    "label", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\\n", "\\\\n", "\n    ", "\n> ", "\n+ ", " ", "%0A"], ids=repr)
def test_a_private_key_goes_whole(label: str, line_break: str, fault: Callable[..., str | None]) -> None:
    """However its lines are broken, and with its end cut off."""
    key = pem(label, line_break)
    cut = key[: key.index("-----END")].removesuffix(line_break)
    for text, secret in (
        (f"key:\n{key}\nuse it", key),
        (f'"k": "{key}",', key),
        (f"cut off: {cut}", cut),
        (f"{cut}\n\nWhose is it?", cut),
    ):
        assert not fault(text, secret)


def test_private_keys_in_other_files_go_too(fault: Callable[..., str | None]) -> None:
    """PuTTY, a key file in base64 (kubeconfig), headers of encrypted keys, string literals, JWK."""
    lines = "\n".join(draw(64) for _ in range(3))
    encoded = base64.b64encode(pem("RSA PRIVATE KEY").encode()).decode()
    old = pem("RSA PRIVATE KEY").replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n", 1)
    literal = (
        '-----BEGIN PRIVATE KEY-----\\n" +\n  "'
        + '\\n" +\n  "'.join([draw(64), draw(64)])
        + '\\n" +\n  "-----END PRIVATE KEY-----'
    )
    jwk = draw(43)
    for text, secret in (
        (f"PuTTY-User-Key-File-3: x\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 3\n{lines}\nPrivate-MAC: 0a", lines),
        (f"client-key-data: {encoded}", encoded),
        (old, old),
        (f'String key = "{literal}";', literal),
        (f'{{"kty":"EC","x":"{draw(43)}","d":"{jwk}"}}', jwk),
    ):
        assert not fault(text, secret)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (
            "GitHub recovery codes:\n1f6be-6abf0\nd7c1c-1e218\n62ab8-a18a8",
            ["1f6be-6abf0", "d7c1c-1e218", "62ab8-a18a8"],
        ),
        ("백업 코드: 1234 5678, 2345 6789, 3456 7890 입니다", ["1234 5678", "2345 6789", "3456 7890"]),
        ("복구 코드\n- a1b2c3d4\n- e5f6a7b8\n- c9d0e1f2\n", ["a1b2c3d4", "e5f6a7b8", "c9d0e1f2"]),
        ("| user | password |\n|---|---|\n| a | hunter2! |\n| b | qwe123!@# |", ["hunter2!", "qwe123!@#"]),
        ("| 계정 | 비밀번호 | 비고 |\n|:--|:-:|--|\n| a | `hunter2!` | x1 |", ["hunter2!"]),
    ],
)
def test_lists_of_secrets_go_one_by_one(text: str, codes: list[str], fault: Callable[..., str | None]) -> None:
    """Recovery codes and columns of passwords; the list stays a list."""
    assert not fault(text, *codes)


def test_a_seed_phrase_goes(all_found: Callable[..., None]) -> None:
    """Twelve words of BIP 39 behind its name."""
    phrase = "abandon ability able about above absent absorb abstract absurd abuse access accident"
    all_found(["seed phrase: %s", "니모닉:\n%s", "recovery phrase = %s."], phrase)


# --- by name -------------------------------------------------------------------------------------------------------

NAMED_PASSWORDS = [
    '{"password": "%s"}', '{"user":"a","pass":"%s"}', "db_password: %s", "DB_PASSWORD=%s", "export DB_PASSWORD='%s'",
    'DB_PASSWORD="%s" ./run',
    'password = "%s"', "const password = '%s';", "let dbPassword = `%s`;", 'password := "%s"',
    'var password string = "%s"', 'password: str = "%s"',
    "const password: string = '%s'", "'password' => '%s',", ':password => "%s"', 'config["password"] = "%s"',
    '$env:DB_PASSWORD = "%s"',
    "<password>%s</password>", '<Pass encoding="plain">%s</Pass>', "<password><![CDATA[%s]]></password>",
    '<property name="password" value="%s"/>',
    '<entry key="db.password">%s</entry>', '<add key="DbPassword" value="%s" />', "<td>Password</td><td>%s</td>",
    "spring.datasource.password=%s",
    "      - POSTGRES_PASSWORD=%s", "docker run -e MYSQL_ROOT_PASSWORD=%s mysql", "- name: DB_PASSWORD\n  value: %s",
    "password: |\n  %s\nuser: a",
    "define('DB_PASSWORD', '%s');", 'conn.setPassword("%s");', "connect(user='a', password='%s', port=3)",
    'if password == "%s":',
    '{\\"password\\":\\"%s\\"}', "Server=db;User Id=sa;Password=%s;Encrypt=true",
    "r.example.com:6380,password=%s,ssl=True", "user=a&password=%s&x=1",
    "https://x.com/login?user=a&password=%s&x=1", "host=localhost user=y password=%s", "| password | %s |",
    "ansible_ssh_pass=%s", "vault kv put s/a password=%s",
    "Password:\n%s", "**Password:** `%s`", "PGPASSWORD=%s psql", "smtp_pass: %s", "[mail]\nsmtp_password=%s\n",
    "password=%s을 쓰세요", "(password: %s)",
]  # fmt: skip
NAMED_TOKENS = [
    "API_KEY=%s", "api_key: %s", '"apiKey":"%s"', "X-API-Key: %s", "-H 'X-Auth-Token: %s'", "SECRET_KEY = '%s'",
    "client_secret=%s", "?access_token=%s&x=1",
    "https://a.b/c?key=%s", "OPENAI_API_KEY=%s", "DATADOG_APP_KEY=%s", "AccountKey=%s;EndpointSuffix=x",
    "SharedAccessKey=%s", "//npm.example.org/:_authToken=%s",
    "PRIVATE-TOKEN: %s", "JWT_SECRET=%s", 'NEXTAUTH_SECRET="%s"', "stripe_key = '%s'", "SUPABASE_KEY=%s",
    "<apiKey>%s</apiKey>", "api key: %s", 'bot_token = "%s"',
]  # fmt: skip


def test_a_password_is_known_by_its_name(all_found: Callable[..., None]) -> None:
    """In every notation in which people write settings, code and mark-up; weak ones too."""
    all_found(NAMED_PASSWORDS, "p4ssW0rd.x!", "hunter22")


def test_a_token_is_known_by_its_name(all_found: Callable[..., None]) -> None:
    """The same for keys and tokens, whose value must look drawn."""
    all_found(NAMED_TOKENS, TOKEN)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("DB_PASSWORD", "password"), ("adminPassword", "password"), ("dbpasswd", "password"),
        ("passwordConfirmation", "password"),
        ("HOMEBREW_GITHUB_API_TOKEN", "token"), ("secret_key_base", "token"), ("client-secret", "token"),
        ("accountKey", "token"), ("STRIPE_KEY", "key"),
        ("passwordField", ""), ("token_count", ""), ("input_tokens", ""), ("primary_key", ""), ("credentialsId", ""),
        ("secretName", ""), ("compass", ""), ("bypass", ""),
    ],
)  # fmt: skip
def test_the_words_of_a_name_tell_what_it_names(name: str, kind: str) -> None:
    """Its last word counts, unless that only says which one."""
    assert name_kind(name) == kind


# --- by place ------------------------------------------------------------------------------------------------------


def test_a_url_gives_its_password_away(all_found: Callable[..., None]) -> None:
    """Of any scheme, with signs left unescaped."""
    all_found(
        [
            "postgres://u:%s@h/db", "postgresql+psycopg2://u:%s@h:5432/db", "redis://:%s@h:6379/0",
            "mongodb+srv://u:%s@c.mongodb.net/", "https://u:%s@github.com/a.git",
            "ftp://u:%s@h/f", "jdbc:oracle:thin:scott/%s@//h:1521/x", "smtps://u%40x.com:%s@smtp.x.com",
            'DATABASE_URL="mysql://root:%s@localhost/x"', "amqp://u:%s@h//",
        ],
        "p4ssW0rd", "pw!#9x",
    )  # fmt: skip
    all_found(["postgres://u:%s@h:5432/x"], "pa/ss+wd9")
    all_found(["https://%s@github.com/a/b", "https://x-access-token:%s@github.com/a/b"], TOKEN)


def test_a_header_gives_its_credentials_away(fault: Callable[..., str | None], all_found: Callable[..., None]) -> None:
    """Written as such, in JSON, in code, to curl; the scheme and the cookies' names stay."""
    all_found(
        [
            "Authorization: Bearer %s", "authorization: token %s", '"Authorization": "Bearer %s"',
            "headers={'Authorization': 'Bearer %s'}", "Proxy-Authorization: Basic %s",
            "curl -H 'Authorization: Bearer %s' https://x", "use Bearer %s here", "Cookie: sessionid=%s; theme=dark",
            "Set-Cookie: sid=%s; Path=/; HttpOnly", '"Cookie": "auth=%s"',
            "curl -b 'session=%s' https://x",
        ],
        TOKEN,
    )  # fmt: skip
    assert not fault("Authorization: 5eb4223e-5008-46e5-be67-c7b8f2732305", "5eb4223e-5008-46e5-be67-c7b8f2732305")


def test_a_command_line_gives_its_password_away(all_found: Callable[..., None]) -> None:
    """By the grammar of each command."""
    all_found(
        [
            "mysql -u root -p%s app", "mysqldump -h x -u y -p'%s' db", "sshpass -p %s ssh x", "sshpass -p'%s' ssh x",
            "docker login -u me -p %s r.io", "curl -u me:%s https://x",
            "curl --user 'me:%s' https://x", "curl -u me:'%s' x", "wget --password=%s https://x",
            "redis-cli -h x -a %s ping", "mongosh -u a -p %s --host h", "ldapsearch -x -D cn=a -w %s",
            "openssl rsa -in k -passin pass:%s", "unzip -P %s a.zip", "7z x -p%s a.7z",
            "htpasswd -b .htpasswd user %s", "smbclient //h/s -U user%%s", "echo 'root:%s' | chpasswd",
            "echo %s | sudo -S ls", "sqlplus scott/%s@db", "ssh-keygen -t rsa -N '%s' -f k",
            "sqlcmd -S h -U sa -P %s", "keytool -list -storepass %s", "gpg --batch --passphrase %s -d f",
            "az login -u a -p %s", "CREATE USER x IDENTIFIED BY '%s';", "ALTER ROLE x WITH PASSWORD '%s';",
            "requirepass %s", "machine h login me password %s", "tool --password %s",
            "x -Password %s -Force", "localhost:5432:db:me:%s\n", "user me\npassword %s\n",
            "client.login('me@x.com', '%s', cb)", "get(u, auth=('kim', '%s'))",
        ],
        "hunter22x",
    )  # fmt: skip
    all_found(["tool --token %s", "--api-key %s", "ngrok authtoken %s"], TOKEN)


def test_a_webhook_or_signed_link_gives_its_secret_away(all_found: Callable[..., None]) -> None:
    """The host stays, what lets one in goes."""
    path, signature = f"T{draw(8, UPPER)}/B{draw(8, UPPER)}/{draw(24)}", draw(64, HEX)
    all_found(["https://hooks.slack.com/services/%s", "(https://hooks.slack.com/services/%s)"], path)
    all_found(["https://discord.com/api/webhooks/123456789012345678/%s 로 보내"], draw(68))
    all_found(["https://b.s3.amazonaws.com/o?X-Amz-Date=20261130T000000Z&X-Amz-Signature=%s"], signature)
    all_found(["https://x.blob.core.windows.net/c?sv=2024-01-01&sig=%s&sp=r"], draw(43) + "%3D")
    all_found(["otpauth://totp/X:kim?secret=%s&issuer=X"], "JBSWY3DPEHPK3PXPJBSWY3DP")


def test_the_secret_beside_an_access_key_id_goes_with_it(fault: Callable[..., str | None]) -> None:
    """The pair is often pasted without a word."""
    key_id, secret = "AKIA" + draw(16, UPPER), draw(40, LETTERS + "+/")
    assert not fault(f"aws: {key_id} / {secret}", key_id, secret)
