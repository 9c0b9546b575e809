"""What is an alternative to what: names of technologies by category, in the spellings that people use.

Two names of one category in otherwise like sentences are two choices, not one said twice. The list is what developers
talk about most; names that are not on it are still told apart by ``names.named``.

A name in ``_CAPITAL`` is a common word as well and only counts with a capital.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

__all__ = ["technologies"]

_TABLE: Final = """
database: postgresql/postgres/pg/포스트그레스/포스트그레SQL mysql/마이SQL mariadb/마리아db sqlite/sqlite3
  mongodb/mongo/몽고db oracle/오라클 sql_server/mssql cockroachdb cassandra/카산드라 dynamodb neo4j/네오포제이
  firestore supabase duckdb clickhouse bigquery snowflake redshift timescaledb influxdb couchdb scylladb planetscale
  turso arangodb dgraph tidb yugabytedb
cache: redis/레디스 memcached/멤캐시 valkey dragonfly hazelcast keydb varnish
queue: kafka/카프카 rabbitmq/래빗MQ nats sqs pulsar celery sidekiq bullmq activemq zeromq kinesis redpanda
  event_hubs pub_sub/pubsub
vector store: pgvector pinecone weaviate qdrant milvus chroma/chromadb faiss lancedb hnswlib annoy
search engine: elasticsearch/elastic/엘라스틱서치 opensearch solr meilisearch typesense algolia whoosh tantivy
  lucene
backend framework: fastapi django/장고 flask/플라스크 express/express.js nestjs/nest.js spring_boot/spring/스프링
  rails/ruby_on_rails laravel/라라벨 gin fiber actix axum koa hono fastify aspnet/asp.net phoenix starlette litestar
  tornado sanic ktor quarkus micronaut echo symfony
frontend framework: react/reactjs/리액트 vue/vue.js/뷰 angular/앵귤러 svelte/스벨트 solidjs/solid.js preact ember
  qwik lit alpine.js jquery htmx
web framework: next.js/nextjs nuxt/nuxt.js remix sveltekit astro gatsby
language: python/파이썬 javascript/자바스크립트 typescript/타입스크립트 golang/go/고랭 rust/러스트 java/자바
  kotlin/코틀린 swift/스위프트 ruby/루비 php c++ c#/csharp scala/스칼라 elixir haskell clojure dart perl lua julia
  zig
cloud: aws gcp/google_cloud azure/애저 vercel netlify heroku fly.io digitalocean cloudflare railway hetzner
  ncp/네이버_클라우드 oracle_cloud linode
package manager: npm yarn pnpm bun pip poetry uv pipenv conda/콘다 pdm hatch bundler composer cargo maven/메이븐
  gradle/그레이들 nuget rye
editor: vs_code/vscode/비주얼_스튜디오_코드 neovim/nvim vim emacs intellij/인텔리제이 pycharm/파이참 webstorm cursor
  zed sublime_text helix eclipse/이클립스 xcode android_studio
api style: rest/restful graphql/그래프QL grpc trpc soap json-rpc openrpc
continuous integration: github_actions/깃허브_액션 gitlab_ci jenkins/젠킨스 circleci travis/travis_ci buildkite
  drone azure_pipelines teamcity argo_cd
code host: github/깃허브 gitlab/깃랩 bitbucket/비트버킷 gitea forgejo codeberg
orchestration: kubernetes/k8s/쿠버네티스 docker_swarm nomad ecs docker_compose mesos openshift
container engine: docker/도커 podman/포드맨 containerd nerdctl
infrastructure as code: terraform/테라폼 pulumi cloudformation ansible/앤서블 chef puppet opentofu cdk saltstack
release strategy: rolling_update/rollingupdate/롤링 blue-green/blue_green/블루그린 canary/카나리 big_bang
test framework: pytest unittest jest vitest mocha junit cypress playwright/플레이라이트 selenium/셀레늄 rspec testng
linter: eslint biome ruff flake8 pylint prettier black standardjs oxlint
bundler: webpack/웹팩 vite/비트 rollup esbuild parcel turbopack rspack
orm: sqlalchemy prisma typeorm sequelize hibernate/하이버네이트 drizzle django_orm jooq mybatis/마이바티스 gorm
  peewee
styling: tailwind/tailwindcss/테일윈드 bootstrap/부트스트랩 sass css_modules styled-components emotion chakra
  material_ui/mui
state management: redux/리덕스 zustand mobx recoil jotai pinia vuex
web server: nginx/엔진엑스 apache/아파치 caddy traefik haproxy envoy
monitoring: prometheus/프로메테우스 grafana/그라파나 datadog/데이터독 sentry/센트리 new_relic loki jaeger
  opentelemetry
authentication: jwt oauth/oauth2 saml session_cookies api_key basic_auth passkey webauthn
identity provider: auth0 keycloak/키클록 cognito clerk okta firebase_auth
key type: ed25519 rsa ecdsa dsa
hash: bcrypt argon2/argon2id scrypt pbkdf2 md5 sha-1 sha-256
serialisation: json yaml toml protobuf/protocol_buffers avro msgpack/messagepack xml csv parquet cbor
operating system: linux/리눅스 macos/맥 windows/윈도우 ubuntu/우분투 debian fedora alpine arch
embedding model: minilm/all-minilm-l6-v2 text-embedding-ada-002/openai_ada text-embedding-3-small
  text-embedding-3-large bge-m3 e5/multilingual-e5 nomic-embed kure-v1 koe5 gte
language model: gpt-4/gpt-4o gpt-5 claude/클로드 gemini/제미나이 llama/라마 mistral qwen deepseek exaone/엑사원
coding agent: claude_code codex gemini_cli copilot/코파일럿 aider cline windsurf
runtime: node/node.js/노드 deno jvm wasm
mobile: flutter/플러터 react_native/리액트_네이티브 swiftui jetpack_compose ionic
payment: stripe/스트라이프 paypal/페이팔 toss_payments/토스페이먼츠 iamport/포트원 braintree adyen paddle
chat: slack/슬랙 discord/디스코드 teams mattermost/매터모스트 telegram/텔레그램
issue tracker: jira/지라 linear github_issues asana trello/트렐로 youtrack notion/노션
vpn: tailscale/테일스케일 wireguard/와이어가드 openvpn zerotier
branching: trunk-based/trunk_based git_flow/gitflow github_flow rebase squash merge_commit
indentation: tabs spaces
theme: dark_mode/dark_theme/다크_모드/다크모드 light_mode/light_theme/라이트_모드/라이트모드
  high_contrast/high-contrast/고대비
architecture: monolith/모놀리스 microservices/마이크로서비스 serverless/서버리스 monorepo/모노레포 polyrepo/멀티레포
rendering: ssr csr ssg isr spa
"""
"""Category, a colon, names, further lines indented; ``/`` stands between spellings of one thing, ``_`` for a blank."""

_CAPITAL: Final = frozenset(
    """
    go rust java swift ruby scala dart perl lua julia express spring flask gin fiber echo phoenix ember lit
    astro remix railway bun poetry uv hatch composer cargo rye cursor zed helix eclipse rest soap drone chef
    puppet black biome parcel rollup vite sentry loki apache caddy envoy alpine arch node teams linear
    notion spring chroma annoy oracle solid emotion drizzle less claude gemini llama codex elastic clerk
    travis nest angular windows
    """.split()  # noqa: SIM905 - reads as words
)

_ASCII: Final = re.compile(r"[\x00-\x7f]+")


@cache
def _pattern() -> tuple[re.Pattern[str], dict[str, str], dict[str, str]]:
    """Return what finds every spelling, the name of each spelling, and the category of each name."""
    names: dict[str, str] = {}
    kinds: dict[str, str] = {}
    kind = ""
    for line in _TABLE.strip().splitlines():
        kind = kind if line.startswith(" ") else line.partition(":")[0]
        for word in line.removeprefix(f"{kind}:").split():
            spellings = [spelling.replace("_", " ").casefold() for spelling in word.split("/")]
            kinds.setdefault(spellings[0], kind)
            for spelling in spellings:
                names.setdefault(spelling, spellings[0])
    longest = sorted(names, key=len, reverse=True)
    parts = (
        rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])"
        if _ASCII.fullmatch(name)
        else rf"(?<![가-힣a-z0-9]){re.escape(name)}"
        for name in longest
    )
    return re.compile("|".join(parts)), names, kinds


def technologies(text: str) -> dict[str, str]:
    """Return the technologies that a text names: name to category.

    >>> technologies("We moved from Postgres 15 to MySQL, go ahead")
    {'postgresql': 'database', 'mysql': 'database'}
    """
    pattern, names, kinds = _pattern()
    found: dict[str, str] = {}
    folded = text.casefold()
    if len(folded) != len(text):
        folded, text = text.lower(), text.lower()
    for match in pattern.finditer(folded):
        name = names[match[0]]
        if match[0] in _CAPITAL and not text[match.start()].isupper():
            continue
        found.setdefault(name, kinds[name])
    return found
