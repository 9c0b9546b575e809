r"""Keys that are known by their own form: the table of issuers, written from what each publishes about its format.

A row is ``(kind, beginnings, rest, back)``. A key starts with one of the ``beginnings`` (separated by spaces) and goes
on as ``rest``; ``back`` counts the characters that stand before the beginning where a format has its mark in the
middle. Group 1 of ``rest`` is the secret where only part of what matches is one. Nothing may follow that would prolong
the key, but a full stop, a bracket or a Korean particle may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from wwt_vault.capture.secret_values import (
    Find,
    Source,
    clean_start,
    compiled,
    elided,
    looks_random,
    occurrences,
    sequential,
    word_set,
)

__all__ = ["KEYS", "find_keys"]

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_END = r"(?![A-Za-z0-9_]|-[A-Za-z0-9])"

KEYS: tuple[tuple[str, str, str, int], ...] = (
    # Models
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None- sk-service-", r"[\w-]{20,}", 0),
    ("anthropic-key", "sk-ant-", r"(?:[a-z]+\d\d-)?[\w-]{93}AA", 0),
    ("anthropic-key", "sk-ant-", r"(?:[a-z]+\d\d-)?[\w-]{24,}", 0),
    ("openrouter-key", "sk-or-", r"(?:v\d-)?[0-9a-f]{40,}", 0),
    ("langfuse-key", "sk-lf-", _UUID, 0),
    ("openai-key", "sk-", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}", 0),
    ("openai-key", "sess-", r"[A-Za-z0-9]{40,}", 0),
    ("groq-key", "gsk_", r"[A-Za-z0-9]{40,}", 0),
    ("xai-key", "xai-", r"[A-Za-z0-9]{60,}", 0),
    ("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,}", 0),
    ("replicate-token", "r8_", r"[A-Za-z0-9]{37,}", 0),
    ("huggingface-token", "hf_", r"[A-Za-z0-9]{34,40}", 0),
    ("huggingface-token", "api_org_", r"[A-Za-z0-9]{34}", 0),
    ("nvidia-key", "nvapi-", r"[\w-]{40,}", 0),
    ("cerebras-key", "csk-", r"[a-z0-9]{40,}", 0),
    ("fireworks-key", "fw_", r"[A-Za-z0-9]{22,24}", 0),
    ("voyage-key", "pa-", r"(?=[\w-]{0,43}\d)[\w-]{43}", 0),
    ("pinecone-key", "pcsk_", r"\w{40,}", 0),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}", 0),
    ("elevenlabs-key", "sk_", r"[0-9a-f]{48}", 0),
    ("tavily-key", "tvly-", r"(?:dev-|prod-)?[A-Za-z0-9]{20,}", 0),
    ("firecrawl-key", "fc-", r"[0-9a-f]{32}", 0),
    ("jina-key", "jina_", r"[0-9a-f]{32}\w{20,}", 0),
    ("e2b-key", "e2b_", r"[0-9a-f]{40}", 0),
    ("cursor-key", "key_", r"[0-9a-f]{64}", 0),
    ("apify-token", "apify_api_", r"\w{30,}", 0),
    ("kaggle-token", "KGAT_", r"[0-9a-f]{32}", 0),
    ("wandb-key", "wandb_v1_", r"\w{20,}", 0),
    # Code hosts, registries, build services
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9_]{30,}(?:\.[\w-]{20,}){0,2}", 0),
    ("github-token", "github_pat_", r"\w{36,}", 0),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
        r"[\w.-]{20,}",
        0,
    ),
    ("gitlab-token", "GR1348941", r"[\w-]{20}", 0),
    ("bitbucket-token", "ATBB", r"[A-Za-z0-9]{32,}", 0),
    ("atlassian-token", "ATATT3xFf ATCTT3xFf ATSTT3xFf", r"[\w+/=-]{60,}", 0),
    ("trello-token", "ATTA", r"[0-9a-f]{60,}", 0),
    ("wwt-token", "wwt_", r"[\w-]{43}", 0),  # operations/tokens.py
    ("npm-token", "npm_", r"[A-Za-z0-9]{36}", 0),
    ("pypi-token", "pypi-AgE", r"[\w-]{50,}", 0),
    ("rubygems-key", "rubygems_", r"[0-9a-f]{48}", 0),
    ("nuget-key", "oy2", r"[a-z0-9]{43}", 0),
    ("crates-token", "cio", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{32}", 0),
    ("docker-token", "dckr_pat_ dckr_oat_", r"[\w-]{27,}", 0),
    ("clojars-token", "CLOJARS_", r"[0-9a-z]{60}", 0),
    ("artifactory-key", "AKCp", r"[A-Za-z0-9]{69}", 0),
    ("artifactory-key", "cmVmd", r"[A-Za-z0-9]{59}", 0),
    ("buildkite-token", "bkua_ bkaj_ bkpt_ bkct_", r"[0-9A-Za-z]{40,}", 0),
    ("circleci-token", "CCIPAT_ CCIPRJ_", r"\w+_[0-9a-f]{40}", 0),
    ("sonar-token", "squ_ sqp_ sqa_", r"[0-9a-f]{40}", 0),
    ("sourcegraph-token", "sgp_", r"(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}", 0),
    ("sourcegraph-token", "slk_", r"[0-9a-f]{64}", 0),
    ("terraform-token", ".atlasv1.", r"[\w=-]{60,}", 14),
    ("vault-token", "hvs. hvb. hvr.", r"[\w-]{24,}", 0),
    ("vault-token", "s.", r"(?=[A-Za-z]*\d)(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{24}", 0),
    ("pulumi-token", "pul-", r"[0-9a-f]{40}", 0),
    ("doppler-token", "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.", r"[\w.-]{40,}", 0),
    ("infracost-key", "ico-", r"[A-Za-z0-9]{32}(?!\.\w)", 0),
    ("octopus-key", "API-", r"(?=[A-Z]*\d)[A-Z0-9]{26}", 0),
    ("prefect-key", "pnu_ pnb_", r"[A-Za-z0-9]{36}", 0),
    ("harness-key", "pat. sat.", r"[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}", 0),
    ("launchdarkly-key", "sdk- api- mob-", _UUID, 0),
    ("posthog-key", "phx_", r"\w{40,}", 0),
    ("wakatime-key", "waka_", _UUID, 0),
    ("zuplo-key", "zpka_", r"\w{40,}", 0),
    ("polar-token", "polar_oat_ polar_pat_", r"\w{20,}", 0),
    ("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", r"[A-Za-z0-9]{16}", 0),
    ("scalingo-token", "tk-us-", r"[\w-]{48}", 0),
    ("frameio-token", "fio-u-", r"[\w-]{64}", 0),
    ("maxmind-key", "_mmk", r"", 36),
    ("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}", 0),
    ("readme-key", "rdme_", r"[a-z0-9]{70}", 0),
    ("openshift-token", "sha256~", r"[\w-]{43}", 0),
    # Clouds and databases
    ("aws-access-key", "AKIA ASIA ABIA ACCA A3T", r"[A-Z0-9]{16,17}", 0),
    ("aws-session-token", "IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz", r"[\w+/=%-]{80,}", 0),
    ("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{100,280}={0,2}(?![A-Za-z0-9+/=])", 0),
    ("aws-bedrock-key", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", r"[\w+/=%-]{20,}", 0),
    ("aws-mws-token", "amzn.mws.", _UUID, 0),
    ("google-api-key", "AIza", r"[\w-]{35}", 0),
    ("google-oauth-token", "ya29.", r"[\w.-]{20,}", 0),
    ("google-oauth-secret", "GOCSPX-", r"[\w-]{28}", 0),
    ("google-refresh-token", "1//0", r"[\w-]{40,}", 0),
    ("google-api-key", "AQ.Ab", r"[\w-]{30,}", 0),
    ("azure-client-secret", "Q~", r"[\w~.-]{31,34}(?![\w~-])", 4),
    ("azure-devops-token", "AZDO", r"[A-Za-z0-9]{4}", 76),
    ("azure-key", "JQQJ99", r"[A-Za-z0-9+/=]{20,}", 52),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}", 0),
    ("heroku-key", "HRKU-", r"[\w-]{36,}", 0),
    ("cloudflare-key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,}", 0),
    ("cloudflare-token", "cfut_ cfat_ cfk_", r"\w{40,}", 0),
    ("fly-token", "fm1_ fm2_ fm1a_ fm1r_ fo1_", r"[\w+/=-]{40,}", 0),
    ("vercel-token", "vcp_ vca_ vci_ vcr_ vck_", r"[A-Za-z0-9]{40,}", 0),
    ("netlify-token", "nfp_ nfc_ nfo_ nfb_ nfu_", r"\w{36}", 0),
    ("render-key", "rnd_", r"[A-Za-z0-9]{28,}", 0),
    ("supabase-key", "sbp_", r"(?:oauth_|v0_)?[0-9a-f]{40}", 0),
    ("supabase-key", "sb_secret_", r"[\w-]{20,}", 0),
    ("planetscale-token", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[\w.=-]{30,}", 0),
    ("neon-key", "napi_", r"[a-z0-9]{40,}", 0),
    ("neon-password", "npg_", r"[A-Za-z0-9]{12,}", 0),
    ("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?", 0),
    ("mongodb-atlas-secret", "mdb_sa_sk_", r"[\w-]{30,}", 0),
    ("yandex-key", "AQVN", r"[\w-]{35,38}", 0),
    ("alibaba-access-key", "LTAI", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{12,26}", 0),
    ("tencent-secret-id", "AKID", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{32,}", 0),
    ("tailscale-key", "tskey-", r"[a-z]+-[\w-]{10,}", 0),
    ("grafana-token", "glc_ glsa_", r"[A-Za-z0-9+/=_]{32,}", 0),
    ("grafana-token", "eyJrIjoi", r"[A-Za-z0-9+/]{60,}={0,2}", 0),
    ("sentry-token", "sntrys_ sntryu_", r"[\w+/=]{40,}", 0),
    ("newrelic-key", "NRAK- NRII- NRIQ- NRJS-", r"[\w-]{19,}", 0),
    ("dynatrace-token", "dt0c01. dt0s01. dt0s16. dt0e01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}", 0),
    # Messages and webhooks
    ("slack-token", "xoxb- xoxa- xoxp- xoxo- xoxr- xoxs- xoxc-", r"(?:\d-)?\d{10,}[\w-]{10,}", 0),
    ("slack-token", "xoxd-", r"[\w%+/=-]{40,}", 0),
    ("slack-token", "xoxe- xoxe.xoxb- xoxe.xoxp-", r"\d-[\w+/=-]{40,}", 0),
    ("slack-token", "xapp-", r"\d-[A-Z0-9]+-\d+-[0-9a-f]{40,}", 0),
    ("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/([A-Z0-9][\w/-]{20,})", 0),
    ("discord-webhook", "discord.com/api/ discordapp.com/api/", r"(?:v\d+/)?webhooks/\d{15,22}/([\w-]{30,})", 0),
    ("teams-webhook", ".webhook.office.com/", r"webhookb2/([\w@/-]{40,})", 0),
    ("zapier-webhook", "hooks.zapier.com/hooks/catch/", r"(\d+/\w+)", 0),
    ("ifttt-webhook", "maker.ifttt.com/", r"(?:trigger/\w+/(?:json/)?with/key|use)/([\w-]{10,})", 0),
    ("lark-webhook", "/open-apis/bot/v2/hook/", r"([\w-]{20,})", 0),
    ("wecom-webhook", "/cgi-bin/webhook/send?key=", r"([\w-]{20,})", 0),
    ("telegram-token", ":AA", r"[\w-]{32,33}", 10),
    ("telegram-token", ":AA", r"[\w-]{32,33}", 9),
    ("telegram-token", ":AA", r"[\w-]{32,33}", 8),
    ("twilio-key", "SK", r"[0-9a-f]{32}", 0),
    ("sendgrid-key", "SG.", r"[\w-]{16,32}\.[\w-]{16,64}", 0),
    ("mailgun-key", "key-", r"[0-9a-f]{32}", 0),
    ("mailchimp-key", "-us", r"\d\d?", 32),
    ("brevo-key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}", 0),
    ("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}", 0),
    ("hubspot-token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", _UUID, 0),
    # Work, shops, money
    ("linear-key", "lin_api_ lin_oauth_ lin_wh_", r"[A-Za-z0-9]{32,}", 0),
    ("notion-token", "ntn_", r"[A-Za-z0-9]{40,50}", 0),
    ("notion-token", "secret_", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{43}", 0),
    ("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}", 0),
    ("figma-token", "figd_ figo_ figr_ figu_", r"[\w-]{38,}", 0),
    ("typeform-token", "tfp_", r"[\w.=-]{40,}", 0),
    ("contentful-token", "CFPAT-", r"[\w-]{43}", 0),
    ("mapbox-token", "sk.eyJ", r"[\w-]{20,}\.[\w-]{10,}", 0),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_", r"[0-9a-fA-F]{32}", 0),
    ("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", r"\w{16,}", 0),
    ("stripe-webhook-secret", "whsec_", r"[A-Za-z0-9+/=]{24,}", 0),
    ("square-token", "sq0atp- sq0csp- sq0idp-", r"[\w-]{22,43}", 0),
    ("square-token", "EAAA", r"(?=[A-Za-z]*\d)[\w-]{60}", 0),
    ("facebook-token", "EAA", r"(?=[A-Za-z]*\d)[A-Za-z0-9]{90,400}", 0),
    ("twitter-token", "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{50,}", 0),
    ("braintree-token", "access_token$production$ access_token$sandbox$", r"[0-9a-z]{16}\$[0-9a-f]{32}", 0),
    ("plaid-token", "access-sandbox- access-development- access-production-", _UUID, 0),
    ("razorpay-key", "rzp_live_ rzp_test_", r"[A-Za-z0-9]{14,}", 0),
    ("flutterwave-key", "FLWSECK-", r"[0-9A-Za-z]{32}-X", 0),
    ("flutterwave-key", "FLWSECK_TEST-", r"[0-9A-Za-z]{12,}(?:-X)?", 0),
    ("easypost-key", "EZAK EZTK", r"[A-Za-z0-9]{54}(?![/+=])", 0),
    ("duffel-token", "duffel_live_ duffel_test_", r"[\w-]{43}", 0),
    ("shippo-token", "shippo_live_ shippo_test_", r"[0-9a-f]{40}", 0),
    ("lob-key", "live_ test_", r"[0-9a-f]{35}", 0),
    ("dropbox-token", "sl.", r"(?:u\.)?[\w-]{100,}", 0),
    ("twitch-token", "oauth:", r"[a-z0-9]{30}", 0),
    ("intra42-secret", "s-s4t2ud- s-s4t2af-", r"[0-9a-f]{64}", 0),
    ("1password-token", "ops_eyJ", r"[\w+/-]{100,}={0,3}", 0),
    (
        "1password-secret-key",
        "A3-",
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
        0,
    ),
    ("age-key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{50,}", 0),
    ("nostr-key", "nsec1", r"[02-9ac-hj-np-z]{58}", 0),
    ("wallet-key", "xprv yprv zprv", r"[1-9A-HJ-NP-Za-km-z]{100,}", 0),
    # Open standards: RFC 7519, PASETO, RFC 8959, the otpauth URI, crypt(5) and its relatives
    ("jwt", "eyJ", r"[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}", 0),
    ("jwt", "ZXlK", r"[\w+/-]{60,}={0,2}", 0),
    ("paseto", "v2.local. v3.local. v4.local. v1.local.", r"[\w-]{40,}(?:\.[\w-]+)?", 0),
    ("token", "secret-token:", r"[\w.~%:-]{8,}", 0),
    ("otp-secret", "otpauth:// otpauth-migration://", r"[^\s\"'<>]{1,300}?[?&](?:secret|data)=([\w+/=%]{8,})", 0),
    ("password-hash", "$2a$ $2b$ $2x$ $2y$", r"\d\d\$[./A-Za-z0-9]{53}", 0),
    ("password-hash", "$5$ $6$", r"(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{40,86}", 0),
    ("password-hash", "$1$ $apr1$", r"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}", 0),
    ("password-hash", "$y$ $gy$ $7$", r"[./A-Za-z0-9]+\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}", 0),
    ("password-hash", "$argon2id$ $argon2i$ $argon2d$ $scrypt$", r"[\w=,$+/-]{30,}[\w+/]", 0),
    ("password-hash", "$P$ $H$", r"[./A-Za-z0-9]{31}", 0),
    ("password-hash", "pbkdf2_sha256$ pbkdf2_sha1$ pbkdf2:sha256: scrypt:", r"[\d:]+\$[\w./+-]+\$[\w+/=]{20,}", 0),
    ("password-hash", "{SSHA} {SSHA256} {SSHA512} {SHA}", r"[A-Za-z0-9+/]{20,}={0,2}", 0),
    ("password-hash", "aad3b435b51404eeaad3b435b51404ee:", r"([0-9a-f]{32})", 0),
)

# Formats without a mark of their own: looked for only behind the issuer's name. Group 1 is the secret.
_GAP = r"[^\n]{0,60}?(?<![\w-])"
_NAMED: tuple[tuple[str, str, str], ...] = (
    ("discord-token", "discord", rf"(?i:discord){_GAP}([MNO][\w-]{{23,27}}\.[\w-]{{6}}\.[\w-]{{27,}})"),
    ("discord-token", "bot", rf"(?<![A-Za-z])(?i:bot){_GAP}([MNO][\w-]{{23,27}}\.[\w-]{{6}}\.[\w-]{{27,}})"),
    ("facebook-token", "facebook", rf"(?i:facebook){_GAP}(\d{{15,16}}(?:\||%7C)[\w-]{{27}})(?![\w-])"),
    ("sourcegraph-token", "sourcegraph", rf"(?i:sourcegraph){_GAP}([0-9a-fA-F]{{40}})(?!\w)"),
    (
        "okta-token",
        "okta",
        rf"(?<![A-Za-z])(?i:okta){_GAP}(00(?=[\w-]{0, 40}[a-z])(?=[\w-]{0, 40}[A-Z])[\w-]{{40}})(?![\w-])",
    ),
    (
        "wallet-key",
        "private",
        rf"(?i:private[ _-]?key){_GAP}(0x[0-9a-fA-F]{{64}}|[5KL][1-9A-HJ-NP-Za-km-z]{{50,51}})(?!\w)",
    ),
    (
        "aws-secret-key",
        "akia",
        r"(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}(?![A-Za-z0-9])[\s\S]{1,200}?(?<![\w/+=-])([\w/+]{40})(?![\w/+=-])",
    ),
    ("signed-url", "signature", r"(?<=[?&-])(?i:signature)=([\w%+/=~-]{20,})"),
    ("azure-sas", "sig", r"sig=([\w%+/-]{20,}={0,2})(?=[&\s\"']|$)"),
)

# Google keys printed in the sample projects of Firebase and Android: anyone has them. The first 12 hex of their
# SHA-256, because a scanner would take this file for a leak.
_PUBLISHED = word_set("""
    0b476bdf9acf 2037abcaffb2 27a9a42931df 37f8f09bdf12 3a8b61d0f636 3f370c9dd822 49f777db995e 4c98242dcadc
    8731261cb72d a19f89ab3555 a6c814bc555a dc0fcf046c61 e4a5542bb7fd ea9bb1082cf9 eb540d2b6ee2
""")


def find_keys(source: Source) -> Iterator[Find]:
    """Yield every key of the table."""
    text = source.text
    for kind, beginnings, pattern, back in _table():
        for beginning, words, head in beginnings:
            if source.words.issuperset(words) and (head in source.heads if head else words or beginning in text):
                yield from _find_key(text, kind, beginning, pattern, back)
    yield from _of_issuers(source)
    for kind, name, pattern in _NAMED:
        for at in occurrences(source.low, name):
            match = compiled(pattern).match(text, at)
            if match and not _made_up(text, *match.span(1)) and (kind != "aws-secret-key" or _mixed(match[1])):
                yield Find(*match.span(1), kind, 3)


def _mixed(secret: str) -> bool:
    return all(compiled(letters).search(secret) for letters in ("[a-z]", "[A-Z]", "[0-9]"))


_BACK = {
    4: r"[\w~.-]{3}\d",
    8: r"\d{8}",
    9: r"\d{9}",
    10: r"\d{10}",
    14: r"[A-Za-z0-9]{14}",
    32: r"[0-9a-f]{32}",
    36: r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}",
    52: r"[A-Za-z0-9+/]{52}",
    76: r"[A-Za-z0-9]{76}",
}


# Issuers whose keys have no form of their own: known by the name before them.
_ISSUERS = word_set("""
    adafruit adobe airtable algolia alchemy amplitude asana assemblyai auth0 beamer binance bitbucket bitfinex
    bittrex bybit cloudinary codecov cohere coinbase confluent contentful coveralls datadog deepgram deepl deepseek
    drone dropbox elastic etherscan etsy fastly finicity finnhub flickr freshbooks giphy gitter gocardless helius
    heroku infura intercom jenkins jira kraken kucoin linkedin looker mailgun mapbox mattermost meraki messagebird
    mistral mixpanel moralis newsapi nytimes openweathermap pinecone pingdom postmark pusher quicknode rapidapi
    rollbar segment sendbird serpapi snyk sonarqube splunk spotify squarespace sumologic tmdb travisci twitch
    twitter unsplash vonage weaviate yelp zendesk
""")


def _of_issuers(source: Source) -> Iterator[Find]:
    named = r"[\w-]{0,24}\\?[\"'`]?\s{0,3}(?::=|=>|[:=])\s{0,3}\\?[\"'`]?([\w+/-]{24,}={0,2})(?![\w+/.-])"
    for issuer in _ISSUERS & source.words:
        for at in occurrences(source.low, issuer):
            match = compiled(named).match(source.text, at + len(issuer))
            # 40 and 64 hexadecimal digits are rather a commit or a digest, and a UUID an id.
            plain = match and compiled(rf"[0-9a-f]{{40}}|[0-9a-f]{{64}}|{_UUID}").fullmatch(match[1])
            if match and not plain and looks_random(match[1], 24) and not _made_up(source.text, *match.span(1)):
                yield Find(*match.span(1), f"{issuer}-key", 1)


@lru_cache(maxsize=1)
def _table() -> list[tuple[str, list[tuple[str, list[str], str]], str, int]]:
    """The rows with their patterns, and for each beginning what tells that a text does not hold it.

    That is the words that end within it, or the first three letters of the word that it begins.
    """
    rows = []
    for kind, beginnings, rest, back in KEYS:
        pattern = f"{_BACK[back] if back else ''}(?:{'|'.join(map(re.escape, beginnings.split(' ')))}){rest}{_END}"
        known = []
        for beginning in beginnings.split(" "):
            words = [] if back else compiled(r"[A-Za-z0-9]+(?=[^A-Za-z0-9])").findall(beginning)
            head = beginning[:3] if not words and not back and compiled(r"[A-Za-z0-9]{3}").match(beginning) else ""
            known.append((beginning, words, head))
        rows.append((kind, known, pattern, back))
    return rows


def _find_key(text: str, kind: str, beginning: str, pattern: str, back: int) -> Iterator[Find]:
    at = text.find(beginning)
    while at >= 0:
        start = at - back
        if start >= 0 and (not (back or beginning[0].isalnum()) or clean_start(text, start)):
            match = compiled(pattern).match(text, start)
            if match:
                start, end = match.span(match.lastindex or 0)
                if kind != "password-hash":
                    end -= len(match[0]) - len(match[0].rstrip("."))
                if not _made_up(
                    text, start + len(beginning) * (match.lastindex is None), end, strict=pattern.endswith("AA" + _END)
                ):
                    yield Find(start, end, kind, 3)
                at = end - 1
        at = text.find(beginning, at + 1)


def _made_up(text: str, start: int, end: int, *, strict: bool = False) -> bool:
    """Tell whether the key was written by a person to show its form, or printed with its end left out."""
    secret = text[start:end]
    if (
        elided(secret)
        or secret.endswith(("EXAMPLE", "EXAMPLEKEY"))
        or text[end : end + 4].lstrip("-_").startswith(("...", "…", "***", "###"))
    ):
        return True
    if compiled(r"(?i)(?:^|[_-])(?:your|here|put|replace|insert)(?:[_-]|$)").search(secret):
        return True
    return not strict and (sequential(secret) or _published(secret))


def _published(secret: str) -> bool:
    if len(secret) != 35:
        return False
    from hashlib import sha256  # noqa: PLC0415 - only for what looks like a Google key

    return sha256(f"AIza{secret}".encode()).hexdigest()[:12] in _PUBLISHED
