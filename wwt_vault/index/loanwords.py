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
에스큐엘라이트=에스큐라이트=sqlite; 카산드라=cassandra; 엘라스틱서치=일래스틱서치=elasticsearch; 오픈서치=opensearch
솔라=solr; 루씬=lucene
프로메테우스=prometheus; 그라파나=grafana; 키바나=kibana; 젠킨스=jenkins; 깃허브=github; 깃랩=gitlab
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
갤럭시=galaxy; 클랭=clang; 에어로스파이크=aerospike; 카카오페이=kakaopay; 파파고=papago; 스노우플레이크=snowflake
빅쿼리=bigquery; 센트리=sentry; 데이터독=datadog; 파이어베이스=firebase; 오픈에이아이=openai; 플러터=flutter
다이나모디비=dynamodb; 클릭하우스=clickhouse; 유튜브=youtube; 인스타그램=instagram; 텔레그램=telegram
디스코드=discord; 트렐로=trello; 인텔리제이=intellij; 그래들=gradle; 메이븐=maven; 넘파이=numpy; 판다스=pandas
파이토치=pytorch; 텐서플로=텐서플로우=tensorflow; 허깅페이스=huggingface=hugging face; 랭체인=langchain
챗지피티=chatgpt; 비트버킷=bitbucket; 엔비디아=nvidia; 아두이노=arduino; 블렌더=blender; 포토샵=photoshop
마이크로소프트=microsoft
"""
"""Products, projects, companies."""
_WORDS: Final = """
에러=오류=error; 버그=bug; 서버=server; 클라이언트=client; 데이터베이스=디비=database=db; 테이블=table
인덱스=색인=index; 쿼리=query; 트랜잭션=transaction; 마이그레이션=migration; 스키마=schema; 캐시=cache; 토픽=topic
브로커=broker; 파티션=partition; 샤딩=sharding; 샤드=shard; 컨슈머=consumer; 프로듀서=producer; 메시지=메세지=message
이벤트=event; 웹훅=webhook; 토큰=token; 세션=session; 쿠키=cookie; 데드락=deadlock; 로그인=login; 로그아웃=logout
패스워드=비밀번호=password; 인증서=certificate; 해시=hash; 암호화=encryption; 방화벽=firewall; 프록시=proxy
게이트웨이=gateway; 로드밸런서=load balancer=loadbalancer; 클러스터=cluster; 컨테이너=container; 네임스페이스=namespace
매니페스트=manifest; 쿼터=quota; 볼륨=volume; 디스크=disk; 메모리=memory; 스레드=쓰레드=thread; 프로세스=process
데몬=daemon; 스케줄러=scheduler; 크론=cron; 파이프라인=pipeline; 오토스케일=오토스케일링=autoscale=autoscaling
스팟=spot; 인스턴스=instance; 스테이징=staging; 프로덕션=production; 레지스트리=registry; 빌드=build
배포=디플로이=deploy; 롤백=rollback; 릴리스=릴리즈=release; 버전=version; 브랜치=branch; 커밋=commit; 머지=merge
리베이스=rebase; 풀리퀘스트=pull request; 코드리뷰=코드 리뷰=code review; 이슈=issue; 티켓=ticket; 스프린트=sprint
백로그=backlog; 레포=리포지토리=repository=repo; 테스트=test; 커버리지=coverage; 스냅샷=snapshot; 린터=linter
포맷터=포매터=formatter; 컴파일=compile; 컴파일러=compiler; 디버깅=debugging; 라이브러리=library; 프레임워크=framework
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
패킷=packet; 프로토콜=protocol; 소켓=socket; 포트=port; 트래픽=traffic; 노드=node; 네트워크=network; 스위치=switch
안테나=antenna; 호스트=host; 호스팅=hosting; 서브넷=subnet; 핫스팟=hotspot; 코덱=codec; 스트리밍=streaming
스트림=stream; 대역폭=bandwidth; 레이턴시=latency; 핸드셰이크=handshake; 브로드캐스트=broadcast; 멀티캐스트=multicast
브라우저=browser; 크롤러=crawler; 크롤링=crawling; 스크래핑=scraping; 리다이렉트=redirect; 라우팅=routing
업로드=upload; 다운로드=download; 피드백=feedback; 챗봇=chatbot; 뉴스레터=newsletter; 포인터=pointer; 스택=stack
버퍼=buffer; 버퍼링=buffering; 오버플로=오버플로우=overflow; 링커=linker; 매크로=macro; 파싱=parsing; 디버거=debugger
디버그=debug; 클로저=closure; 제네릭=generic; 코루틴=coroutine; 뮤텍스=mutex; 세마포어=semaphore; 이터레이터=iterator
제너레이터=generator; 데코레이터=decorator; 콜백=callback; 람다=lambda; 튜플=tuple; 딕셔너리=dictionary
오브젝트=object; 메서드=메소드=method; 인터프리터=interpreter; 런타임=runtime; 바이너리=binary; 바이트코드=bytecode
바이트=byte; 타입=type; 문자셋=캐릭터셋=charset; 인코딩=encoding
디코딩=decoding; 직렬화=serialization; 역직렬화=deserialization
가비지 컬렉션=garbage collection; 리팩터링=리팩토링=refactoring; 리뷰=review; 코멘트=comment; 예외=exception
변수=variable; 함수=function; 알고리즘=algorithm; 심볼=symbol; 스코프=scope; 크래시=crash; 샌드박스=sandbox
퍼징=fuzzing; 부트로더=bootloader; 커널=kernel; 인터럽트=interrupt; 이미지=image; 스토리지=storage; 클라우드=cloud
서버리스=serverless; 마이크로서비스=microservice; 오케스트레이션=orchestration; 프로비저닝=provisioning
헬스체크=헬스 체크=health check; 사이드카=sidecar; 인그레스=ingress; 시크릿=secret; 롤아웃=rollout; 카나리=canary
런북=runbook; 포스트모템=postmortem; 알람=alarm; 워커=worker; 워크플로=워크플로우=workflow; 트리거=trigger
핫픽스=hotfix; 패치=patch; 업데이트=update; 업그레이드=upgrade; 다운그레이드=downgrade; 다운타임=downtime
페일오버=failover; 레플리카=replica; 백필=backfill; 컬럼=칼럼=column; 필드=field; 옵션=option; 디폴트=default
포맷=format; 레거시=legacy; 아카이브=archive; 체크섬=checksum; 오프라인=offline; 온라인=online; 시스템=system
소프트웨어=software; 하드웨어=hardware; 게임=game; 셰이더=shader; 텍스처=텍스쳐=texture; 픽셀=pixel; 폴리곤=polygon
스프라이트=sprite; 애니메이션=animation; 렌더러=renderer; 프레임=frame; 엔진=engine; 아이템=item; 퀘스트=quest
매치메이킹=matchmaking; 리더보드=leaderboard; 랭킹=ranking; 스폰=spawn; 튜토리얼=tutorial; 컨트롤러=controller
조이스틱=joystick; 시뮬레이션=simulation; 시뮬레이터=simulator; 카메라=camera; 사운드=sound; 오디오=audio
비디오=video; 길드=guild; 폰트=font; 아이콘=icon; 위젯=widget; 팝업=popup=pop-up; 메뉴=menu; 슬라이더=slider
체크박스=checkbox; 드롭다운=dropdown; 툴팁=tooltip; 레이어=layer; 캔버스=canvas; 사이드바=sidebar; 배너=banner
프로필=profile; 아바타=avatar; 썸네일=thumbnail; 이모지=emoji; 온보딩=onboarding; 로딩=loading; 타이머=timer
키보드=keyboard; 마우스=mouse; 제스처=gesture; 스크린샷=screenshot; 접근성=accessibility; 캡션=caption; 카드=card
앱=app; 데이터=data; 리포트=report; 차트=chart; 그래프=graph; 히트맵=heatmap; 필터=filter; 필터링=filtering
클러스터링=clustering; 샘플=sample; 샘플링=sampling; 양자화=quantization; 체크포인트=checkpoint
하이퍼파라미터=hyperparameter; 벤치마크=benchmark; 오프셋=offset; 코호트=cohort; 퍼널=funnel; 리텐션=retention
트렌드=trend; 비콘=beacon; 밸브=valve; 펌프=pump; 릴레이=relay; 드론=drone; 키오스크=kiosk; 모터=motor; 로봇=robot
태블릿=tablet; 스마트폰=smartphone; 바코드=barcode; 스캐너=scanner; 어댑터=adapter=adaptor; 케이블=cable
컨베이어=conveyor; 액추에이터=actuator; 보일러=boiler; 카트리지=cartridge; 커넥터=connector; 프리미엄=premium
인보이스=invoice; 바우처=voucher; 카탈로그=catalog=catalogue; 마케팅=marketing; 캠페인=campaign; 세그먼트=segment
파트너=partner; 벤더=vendor; 멤버십=membership; 미팅=meeting; 스케줄=schedule; 캘린더=calendar; 로드맵=roadmap
마일스톤=milestone; 데드라인=deadline; 인터뷰=interview; 매니저=manager; 게스트=guest; 체크인=check-in=checkin
마켓플레이스=marketplace; 커머스=commerce; 셀러=seller; 뱃지=badge; 리워드=reward; 마일리지=mileage
콘텐츠=컨텐츠=content; 미디어=media; 시나리오=scenario; 가이드=guide; 체크리스트=checklist; 워크숍=워크샵=workshop
세미나=seminar
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
    """Return the words in Hangul, of two syllables or more: nouns that the analyser should know."""
    return [word for group in loanwords() for word in group if re.fullmatch("[\uac00-\ud7a3]{2,}", word)]
