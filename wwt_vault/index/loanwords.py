"""Words that Korean developers write in Hangul or in Latin letters: the same word in two scripts.

One group per entry, the ways of writing it joined by ``=``. Only what is the same word, or is used for it every day
(``오류`` for ``에러``), and nothing that is also another word of either language. See ``synonyms``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

__all__ = ["in_hangul", "loanwords", "ordinary"]

_NAMES: Final = """
레디스=redis; 도커=docker; 쿠버네티스=kubernetes=k8s; 카프카=kafka; 래빗엠큐=rabbitmq; 마이에스큐엘=mysql
몽고디비=mongodb=mongo; 포스트그레스=포스트그레SQL=postgres=postgresql; 오라클=oracle; 마리아디비=mariadb
에스큐엘라이트=sqlite; 카산드라=cassandra; 엘라스틱서치=일래스틱서치=elasticsearch; 오픈서치=opensearch; 솔라=solr
루씬=lucene; 프로메테우스=prometheus; 그라파나=grafana; 키바나=kibana; 젠킨스=jenkins; 깃허브=github; 깃랩=gitlab
테라폼=terraform; 앤서블=ansible; 헬름=helm; 쿠스토마이즈=kustomize; 이스티오=istio; 아르고=argo; 엔진엑스=nginx
아파치=apache; 스파크=spark; 하둡=hadoop; 에어플로=에어플로우=airflow; 파이썬=python; 자바=java; 코틀린=kotlin
스위프트=swift; 자바스크립트=javascript=js; 타입스크립트=typescript=ts; 러스트=rust; 고랭=golang; 루비=ruby
스칼라=scala; 리액트=react; 리덕스=redux; 앵귤러=angular; 스벨트=svelte; 넥스트=next.js=nextjs; 노드JS=node.js=nodejs
장고=django; 플라스크=flask; 스프링=spring; 라라벨=laravel; 웹팩=webpack; 유니티=unity; 언리얼=unreal
안드로이드=android; 리눅스=linux; 우분투=ubuntu; 데비안=debian; 윈도우=윈도=windows; 맥북=macbook; 아이폰=iphone
사파리=safari; 크롬=chrome; 파이어폭스=firefox; 슬랙=slack; 노션=notion; 지라=jira; 컨플루언스=confluence
피그마=figma; 옵시디언=obsidian; 스트라이프=stripe; 페이팔=paypal; 클로드=claude; 코덱스=codex; 제미나이=gemini
구글=google; 아마존=amazon; 애플=apple; 카카오=kakao; 네이버=naver; 클라우드플레어=cloudflare; 와이어가드=wireguard
라즈베리=raspberry; 플레이라이트=playwright; 셀레니움=셀레늄=selenium; 파이테스트=pytest
"""
"""Products, projects, companies."""
_WORDS: Final = """
에러=오류=error; 버그=bug; 서버=server; 클라이언트=client; 데이터베이스=디비=database=db; 테이블=table
인덱스=색인=index; 쿼리=query; 트랜잭션=transaction; 마이그레이션=migration; 스키마=schema; 캐시=cache; 토픽=topic
브로커=broker; 파티션=partition; 샤딩=sharding; 샤드=shard; 컨슈머=consumer; 프로듀서=producer; 메시지=메세지=message
이벤트=event; 웹훅=webhook; 토큰=token; 세션=session; 쿠키=cookie; 데드락=deadlock; 로그인=login; 로그아웃=logout
패스워드=비밀번호=password; 인증서=certificate; 해시=hash; 암호화=encryption; 방화벽=firewall; 프록시=proxy
게이트웨이=gateway; 로드밸런서=load balancer; 클러스터=cluster; 컨테이너=container; 네임스페이스=namespace
매니페스트=manifest; 쿼터=quota; 볼륨=volume; 디스크=disk; 메모리=memory; 스레드=쓰레드=thread; 프로세스=process
데몬=daemon; 스케줄러=scheduler; 크론=cron; 파이프라인=pipeline; 오토스케일=오토스케일링=autoscale=autoscaling
스팟=spot; 인스턴스=instance; 스테이징=staging; 프로덕션=production; 레지스트리=registry; 빌드=build
배포=디플로이=deploy; 롤백=rollback; 릴리스=릴리즈=release; 버전=version; 브랜치=branch; 커밋=commit; 머지=merge
리베이스=rebase; 풀리퀘스트=pull request; 코드리뷰=코드 리뷰=code review; 이슈=issue; 티켓=ticket; 스프린트=sprint
백로그=backlog; 레포=리포지토리=repository=repo; 테스트=test; 커버리지=coverage; 스냅샷=snapshot; 린터=linter
포맷터=formatter; 컴파일=compile; 컴파일러=compiler; 디버깅=debugging; 라이브러리=library; 프레임워크=framework
패키지=package; 모듈=module; 플러그인=plugin; 에디터=편집기=editor; 터미널=terminal; 스크립트=script
파라미터=매개변수=parameter; 클래스=class; 인터페이스=interface; 배열=array; 문자열=string; 정규식=regex; 헤더=header
타임아웃=timeout; 엔드포인트=endpoint; 리트라이=재시도=retry; 백오프=backoff; 레이트 리밋=레이트리밋=rate limit
스로틀링=throttling; 웹소켓=websocket; 프런트엔드=프론트엔드=frontend; 백엔드=backend; 컴포넌트=component
렌더링=rendering; 하이드레이션=hydration; 번들=bundle; 스타일=style; 레이아웃=layout; 브레이크포인트=breakpoint
모달=modal; 토스트=toast; 버튼=button; 다크 모드=다크모드=dark mode; 스크롤=scroll; 템플릿=template; 푸시=push
딥링크=deep link; 콜드 스타트=cold start; 대시보드=dashboard; 메트릭=metric; 로그=log; 로깅=logging; 트레이싱=tracing
모니터링=monitoring; 얼럿=알러트=alert; 온콜=당직=on-call; 핸드오버=handover; 백업=backup; 임베딩=embedding
벡터=vector; 토크나이저=tokenizer; 차원=dimension; 프롬프트=prompt; 에이전트=agent; 모델=model; 파인튜닝=fine-tuning
데이터셋=dataset; 라벨=레이블=label; 클릭=click; 그래디언트=gradient; 센서=sensor; 펌웨어=firmware; 블루투스=bluetooth
와이파이=wi-fi=wifi; 지그비=zigbee; 배터리=battery; 프린터=printer; 라우터=공유기=router; 도메인=domain
이메일=메일=email=e-mail=mail; 마크다운=markdown; 블로그=blog; 위키=wiki; 쿠폰=coupon; 포인트=point; 플래그=flag
라이선스=licence=license; 테넌트=tenant; 어드민=관리자=admin; 유저=사용자=user; 콘솔=console; 프로젝트=project
폴더=folder; 파일=file; 링크=link; 태그=tag; 노트=note
"""
_ABBREVIATIONS: Final = frozenset(
    "ai api apis app apps cd ceo cfo ci cli cpu cto db dba dbs dev devops faq gb gpu gui hdd hr id ide ids ip it kb kpi"  # noqa: SIM905 - reads as words
    " mb ml mr mvp oom ops os pc pm poc pr prs qa qps ram sdk sla sre ssd tb tf tps todo ttl ui uri url urls ux vm vms"
    " vs wip".split()
)
"""What developers write every day of any product: names of no one thing."""


@cache
def loanwords() -> tuple[tuple[str, ...], ...]:
    """Return the groups."""
    return _groups(_NAMES) + _groups(_WORDS)


@cache
def ordinary() -> frozenset[str]:
    """Return those that are no name of one thing, everyday abbreviations among them, case-folded."""
    return _ABBREVIATIONS.union(word.casefold() for group in _groups(_WORDS) for word in group)


def _groups(text: str) -> tuple[tuple[str, ...], ...]:
    entries = (entry.strip() for line in text.splitlines() for entry in line.split(";"))
    return tuple(tuple(word.strip() for word in entry.split("=")) for entry in entries if entry)


def in_hangul() -> list[str]:
    """Return the words in Hangul: nouns that the analyser should know."""
    return [word for group in loanwords() for word in group if re.fullmatch("[\uac00-\ud7a3]+", word)]
