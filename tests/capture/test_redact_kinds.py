"""Kinds of secrets and look-alikes, each as it stands in a conversation: found to the letter, or left alone.

Keys are put together at run time from a seeded generator, so that no scanner takes this file for a leak. Everything
here was invented for these tests.
"""

from __future__ import annotations

import base64
import random
import re
import string

import pytest

from wwt_vault.capture.redact import redact
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


def fault(text: str, *secrets: str) -> str | None:
    """Return what is wrong with redacting ``text``, out of which just ``secrets`` must go; ``None`` if nothing is."""
    wanted = re.escape(text)
    for secret in secrets:
        wanted = wanted.replace(re.escape(secret), r"\[REDACTED:[a-z0-9-]+\]")
    clean, _ = redact(text)
    if not re.fullmatch(wanted, clean):
        return f"{text!r} became {clean!r}"
    return None if redact(clean) == (clean, ()) else f"{clean!r} is redacted again"


def all_found(templates: list[str], *secrets: str) -> None:
    """Assert that each secret is taken out of each template (``%s``) to the letter."""
    faults = [fault(template.replace("%s", secret), secret) for template in templates for secret in secrets]
    assert not [one for one in faults if one]


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
def test_a_key_is_known_by_its_own_form(issuer: str) -> None:
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
def test_a_private_key_goes_whole(label: str, line_break: str) -> None:
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


def test_private_keys_in_other_files_go_too() -> None:
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
def test_lists_of_secrets_go_one_by_one(text: str, codes: list[str]) -> None:
    """Recovery codes and columns of passwords; the list stays a list."""
    assert not fault(text, *codes)


def test_a_seed_phrase_goes() -> None:
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
    "SharedAccessKey=%s", "//registry.npmjs.org/:_authToken=%s",
    "PRIVATE-TOKEN: %s", "JWT_SECRET=%s", 'NEXTAUTH_SECRET="%s"', "stripe_key = '%s'", "SUPABASE_KEY=%s",
    "<apiKey>%s</apiKey>", "api key: %s", 'bot_token = "%s"',
]  # fmt: skip


def test_a_password_is_known_by_its_name() -> None:
    """In every notation in which people write settings, code and mark-up; weak ones too."""
    all_found(NAMED_PASSWORDS, "p4ssW0rd.x!", "hunter22")


def test_a_token_is_known_by_its_name() -> None:
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


def test_a_url_gives_its_password_away() -> None:
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


def test_a_header_gives_its_credentials_away() -> None:
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


def test_a_command_line_gives_its_password_away() -> None:
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


def test_a_webhook_or_signed_link_gives_its_secret_away() -> None:
    """The host stays, what lets one in goes."""
    path, signature = f"T{draw(8, UPPER)}/B{draw(8, UPPER)}/{draw(24)}", draw(64, HEX)
    all_found(["https://hooks.slack.com/services/%s", "(https://hooks.slack.com/services/%s)"], path)
    all_found(["https://discord.com/api/webhooks/123456789012345678/%s 로 보내"], draw(68))
    all_found(["https://b.s3.amazonaws.com/o?X-Amz-Date=20261130T000000Z&X-Amz-Signature=%s"], signature)
    all_found(["https://x.blob.core.windows.net/c?sv=2024-01-01&sig=%s&sp=r"], draw(43) + "%3D")
    all_found(["otpauth://totp/X:kim?secret=%s&issuer=X"], "JBSWY3DPEHPK3PXPJBSWY3DP")


def test_the_secret_beside_an_access_key_id_goes_with_it() -> None:
    """The pair is often pasted without a word."""
    key_id, secret = "AKIA" + draw(16, UPPER), draw(40, LETTERS + "+/")
    assert not fault(f"aws: {key_id} / {secret}", key_id, secret)


# --- in sentences --------------------------------------------------------------------------------------------------

KOREAN_NAMES = [
    "비밀번호",
    "비번",
    "암호",
    "패스워드",
    "관리자 비밀번호",
    "와이파이 비번",
    "비밀 번호",
    "password",
    "PW",
]
KOREAN_LINKS = [
    "는 ",
    "은 ",
    "가 ",
    "이 ",
    "를 ",
    "을 ",
    "도 ",
    "는요, ",
    ": ",
    " : ",
    "=",
    " = ",
    "：",
    " → ",
    "는: ",
    "는 지금 ",
    "는 서버 접속할 때 쓰는 ",
]
KOREAN_ENDS = [
    "", " 입니다", "입니다", "이야", "야", "이에요", "예요", "임", "으로 바꿔줘", "로 설정했어", "라고 했어", ".",
    ",", ")", "을 써", "를 입력해", "이 맞아", " 이고 아이디는 admin이야",
]  # fmt: skip
KOREAN_QUOTES = ['"%s"', "'%s'", "`%s`", "“%s”", "‘%s’", "「%s」", "『%s』", "**%s**", "(%s)", "[%s]"]


@pytest.mark.parametrize("name", KOREAN_NAMES)
def test_a_korean_sentence_tells_a_password(name: str) -> None:
    """With every particle, sign and ending; the value ends where the ending begins."""
    linked = [f"{name}{link}%s{end}" for link in KOREAN_LINKS for end in KOREAN_ENDS]
    quoted = [f"{name}{link}{quote} 입니다" for link in ("는 ", ": ", " = ") for quote in KOREAN_QUOTES]
    all_found(linked + quoted, "Hunter2!kor", "abcd1234")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("비밀번호는 1234야", "1234"), ("비번 0000이야", "0000"), ("비밀번호: 'swordfish'", "swordfish"),
        ("비번은 'hunter'임", "hunter"), ("암호는 「나라사랑1」 입니다", "나라사랑1"),
        ("비번: 바다1234", "바다1234"), ("Qwer!234가 비밀번호야", "Qwer!234"),
        ("abcd1234로 비밀번호 바꿔줘", "abcd1234"), ("비밀번호\nZx9!kk21\n로 로그인", "Zx9!kk21"),
        ("아이디/비번: admin / abcd1234!", "abcd1234!"), ("ID/PW: admin/abcd1234!", "abcd1234!"),
        ("계정 admin / 비번 gksrmf12#$", "gksrmf12#$"), ("PIN은 4821이야", "4821"),
        ("인증번호 482913 입력", "482913"), ("인증번호는 [482913]입니다", "482913"), ("보안코드는 7731이야", "7731"),
        ("OTP 482913", "482913"),
        ("주민등록번호는 900101-1234567 입니다", "900101-1234567"), ("주민번호 9001011234567", "9001011234567"),
        ("외국인등록번호: 900101-5234567", "900101-5234567"),
        ("계좌번호는 국민은행 123456-01-234567 이에요", "123456-01-234567"),
        ("카카오뱅크 3333-01-1234567로 보내줘", "3333-01-1234567"),
        ("카드번호 4111-1111-1111-1111", "4111-1111-1111-1111"),
        ("여권번호 M12345678", "M12345678"), ("API 키는 q7W3e9R1t5Y2u8I4 입니다", "q7W3e9R1t5Y2u8I4"),
        ("토큰: a8f3k2j4h5g6d7s8a9", "a8f3k2j4h5g6d7s8a9"),
        ("パスワードはHunter2!korです", "Hunter2!kor"), ("パスワード：abcd1234", "abcd1234"),
        ("暗証番号は 4821 です", "4821"), ("密码是Hunter2!kor", "Hunter2!kor"), ("密码改成abcd1234", "abcd1234"),
        ("验证码：482913", "482913"),
    ],
)  # fmt: skip
def test_other_ways_of_saying_it_in_the_east(text: str, secret: str) -> None:
    """Numbers, reversed order, quotes, pairs, Japanese and Chinese."""
    assert not fault(text, secret)


def test_an_english_sentence_tells_a_password() -> None:
    """And those of its neighbours."""
    all_found(
        [
            "the root password is %s by the way", "My password is %s.", "password: %s",
            "the password for the staging server is %s", "the db password was changed to %s, ok?",
            "use password %s to log in", "password → %s", "password is `%s`", 'password is "%s".', "my pw's %s",
            "admin password (prod) is %s", "set the password to %s please",
            "The password is now %s", "password - %s", "%s is the root password", "Passwort: %s",
            "das Passwort ist %s", "contraseña: %s", "la contraseña es %s", "mot de passe : %s",
            "senha: %s", "пароль: %s", "mật khẩu là %s", "credentials: admin / %s", "login with user a, pw %s",
        ],
        "Hunter2!kor", "tr0ub4dor3",
    )  # fmt: skip
    all_found(["the password is '%s'", 'password is "%s"', "password: %s"], "swordfish")
    all_found(["PIN: %s", "my pin is %s", "Your verification code is %s.", "OTP: %s"], "482913")
    all_found(["my API key is %s", "the token is %s", "secret key: %s"], TOKEN)
    assert not fault("change the password from old123!x to new456!x please", "old123!x", "new456!x")
    assert not fault("비밀번호를 old123!x에서 new456!x로 바꿨어", "old123!x", "new456!x")
    all_found(["Gmail app password: %s", "앱 비밀번호는 %s 입니다"], "abcd efgh ijkl mnop")


# --- what must stay ------------------------------------------------------------------------------------------------

LOOK_ALIKES = r"""
비밀번호가 뭐였지?
비밀번호 정책을 바꾸자
비밀번호는 최소 8자 이상이어야 합니다
비밀번호는 bcrypt로 해시해서 저장해
비밀번호를 argon2id로 바꿔줘
비밀번호는 SHA-256으로 암호화해
비밀번호는 90일마다 바꿔야 해
비밀번호는 Redis7에 저장하고 user_id+salt로 만들어
비밀번호 4자리, 5회 오류 시 잠금
비밀번호를 잊으셨나요? 비밀번호: (입력)
비밀번호 필드 이름은 user_password야
비밀번호는 validatePassword() 함수로 검증해
암호화 방식은 AES-256-GCM 입니다
인증번호는 6자리 숫자야, 유효시간은 180초
주민등록번호는 13자리입니다
카드번호는 저장하지 않는다
토큰 예산은 세션당 4,000으로 제한한다
API 키는 환경변수에서 읽어
키는 user_id 로 하자
주문번호 010-1234-5678, 전화번호는 02-1234-5678
주문번호 20261130-1234567
은행과 담당자 사무관 (02-2100-2953)
버전은 1.2.3-beta.4 입니다
密码长度至少8位
パスワードは8文字以上
the password is required
the password is base64 encoded
password must be at least 8 characters
is the password correct?
The password reset link expires in 24h
pass these arguments to `rimraf`
password: string
password: Optional[str] = None
password?: string;
password = input()
password = getpass.getpass("Password: ")
password=password, user=user
self.password = user_password
password = config.get("password")
api_key = os.environ["OPENAI_API_KEY"]
password: process.env.DB_PASSWORD!,
password: ${DB_PASSWORD}
password: ${{ secrets.DB_PASSWORD }}
password: "{{ vault_db_password }}"
password: <your-password>
password: changeme
API_KEY=your-api-key-here
PASSWORD="********"
OPENAI_API_KEY=sk-...
ANTHROPIC_API_KEY=sk-ant-api03-...
GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
AKIAIOSFODNN7EXAMPLE
WHERE password = $1 OR password = :password OR password = %s
`password` varchar(60) DEFAULT NULL,
<input type="password" name="password" placeholder="Password">
"password": "비밀번호", "currentPassword": "Current password"
"required": ["username", "password"], "password": { "type": "string" }
z.object({ email: z.string().email(), password: z.string().min(8) })
PASSWORD_MIN_LENGTH=12
POSTGRES_PASSWORD_FILE=/run/secrets/db_password
docker run -p 8080:80 nginx; ssh -p 2222 user@host; mkdir -p a/b/c
mysql -u root -p app
curl -u "$USER:$PASS" https://x
echo "$DB_PASSWORD" | docker login -u me --password-stdin
use the --password option, or pass --token to the command
Authorization: Bearer <token>
headers["Authorization"] = f"Bearer {token}"
Cookie: theme=dark; lang=ko
token_type: bearer
input_tokens: 12345, output_tokens: 678, max_tokens=4096
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
eos_token = "</s>"
const token = req.headers['authorization']?.split(' ')[1];
secretKeyRef: {name: db-credentials, key: password}
arn:aws:secretsmanager:us-east-1:123456789012:secret:MySecret-a1b2c3
The secret to good tests is small steps.
"key": "abc123def456ghi789"
credentialsId: '29f63271-dc2f-4734-8221-5b31b5169bac'
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIQtA9dtVK4wAAb3XZxPmzUzn8aB5kBh0fzK4xDXkiadJ kim@host
session_id: 99b9ede7-3087-de35-0ce6-6f731e84fb36
msg_01XFDUDYJgAACzvnptvVoYEL toolu_01A2b3C4d5E6f7G8h9J0kLmN evt_01JABCDEF0123456789XYZABCD
01JABCDEFGHJKMNPQRSTVWXYZ0 [^20261130T015801Z-9f2c4e1ab07d]
commit 11f6ad8ec52a2984abaafd7c3b516503785c2072, fixed in 3f2a9bc
"integrity": "sha512-H0D8ktokFpR1CXnubPWC8tXX0o4YM13gWrxU0FYOD1MChgxlK/CNVgJSql50IQVG82n7u86MEs/HlXsmUv6adQ==",
    --hash=sha256:8e35c2cd3bf6641bdb0e2050b76932cbb2e6034a0ddacc1d9bea82a6ba57f7cf
![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)
https://medium.com:443/@user/post http://localhost:3000/@vite/client git@github.com:o/r.git
postgres://user:password@localhost:5432/db mongodb://<user>:<password>@host/db
task-1234567890abcdef1234567890abcdef sk-estimator-id-12
The file starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.
--- PASS: TestLogin (0.01s), pass: 12, fail: 3
PWD=/home/kim/work
recovery codes are stored encrypted
verification code is 6 digits, error code: 404, zip code: 12345
random seed = 12345
2026-11-30 12:34:56 +82-10-1234-5678 192.168.0.1:8080
"""


def test_look_alikes_stay() -> None:
    """Names, questions, policies, code, references, placeholders, ids and numbers are the conversation itself."""
    lines = LOOK_ALIKES.strip().split("\n")
    assert [line for line in lines if redact(line) != (line, ())] == []


def test_look_alikes_stay_in_one_text() -> None:
    """None of them becomes a secret by what stands on the next line."""
    text = LOOK_ALIKES + pem("CERTIFICATE") + "\n" + pem("PUBLIC KEY")
    assert redact(text) == (text, ())
