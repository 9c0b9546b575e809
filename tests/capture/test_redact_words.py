"""Secrets that a sentence tells, in Korean, English and their neighbours, and the sentences that tell none.

Everything here was invented for these tests.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from wwt_vault.capture.redact import redact

TOKEN = "q7W3e9R1t5Y2u8I4o6P0"

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
def test_a_korean_sentence_tells_a_password(name: str, all_found: Callable[..., None]) -> None:
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
def test_other_ways_of_saying_it_in_the_east(text: str, secret: str, fault: Callable[..., str | None]) -> None:
    """Numbers, reversed order, quotes, pairs, Japanese and Chinese."""
    assert not fault(text, secret)


def test_an_english_sentence_tells_a_password(fault: Callable[..., str | None], all_found: Callable[..., None]) -> None:
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


def test_words_joined_to_a_password_are_found(all_found: Callable[..., None]) -> None:
    """A password made of words with dashes and a number looks like the name of a thing, and is none."""
    direct = ["비밀번호는 %s이야", "DB 비밀번호는 %s 이니까 들어가 봐", "비번은 %s거든", "암호는 %s 입니다"]
    english = ["the staging password is %s, so log in", "use password %s to log in"]
    all_found(direct + english, "kiwi-Lamp-2958", "kiwiLamp-2958", "Autumn-2031", "red-Barn-57")
    all_found(direct, "kiwi_Lamp_2958", "kiwi-lamp-2958", "brisk-otter-paints-fences")


# --- what must stay ------------------------------------------------------------------------------------------------

LOOK_ALIKES = r"""
비밀번호가 뭐였지?
비밀번호 정책을 바꾸자
비밀번호는 최소 8자 이상이어야 합니다
비밀번호는 bcrypt로 해시해서 저장해
비밀번호를 argon2id로 바꿔줘
비밀번호는 SHA-256으로 암호화해
비밀번호는 90일마다 바꿔야 해
비밀번호는 SHA-512니까 괜찮고, 암호는 AES-256이야
비밀번호는 bcrypt니까 안전하고 검사는 spring-security 이고
The password hash is Sha-512, the library is spring-security
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
비밀번호 로그인은 막는다 [^20261130T015801Z-9f2c4e1ab07d]
the password is [^20261130T015801Z-9f2c4e1ab07d]
"""


def test_look_alikes_stay() -> None:
    """Names, questions, policies, code, references, placeholders, ids and numbers are the conversation itself."""
    lines = LOOK_ALIKES.strip().split("\n")
    assert [line for line in lines if redact(line) != (line, ())] == []


def test_look_alikes_stay_in_one_text() -> None:
    """None of them becomes a secret by what stands on the next line."""
    text = (
        LOOK_ALIKES
        + "-----BEGIN CERTIFICATE-----\n"
        + "jPZ6zfKN7xVGkjwskHk7egyFWZY9Zmti\n" * 9
        + "-----END CERTIFICATE-----\n"
    )
    assert redact(text) == (text, ())
