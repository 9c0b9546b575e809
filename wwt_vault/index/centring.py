"""How near a passage is to a question, without what all questions and all texts of a language have in common.

A small multilingual model says first of a text in which language it is and that it is a question, and only then what it
is about: e5 gives unrelated texts a cosine of .8, and puts every passage in the question's own language before all
others. So the mean of the question's language is taken from the question's vector, and the mean of its own language
from each passage's ("language centroids": Libovický, Rosa and Fraser, "On the Language Neutrality of Pre-trained
Multilingual Representations", 2020). Unrelated texts then come out at about 0, whatever their languages, and passages
of all languages stand in one order. Measured: docs/benchmarks.md.

The mean of a language's passages is the vault's own, of at most ``_MOST`` of them, and leans on a few made-up passages
while the vault has few. Questions have only such samples. Their vectors are kept beside the vault's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from wwt_vault.index.analysis import language_of
from wwt_vault.index.passages import vector_key
from wwt_vault.index.vectors import VectorStore

if TYPE_CHECKING:
    from wwt_vault.index.embedder import Embedder

__all__ = ["Centring"]

_MOST: Final = 1000
"""Vectors of a language that its mean is taken of, those with the smallest keys: a sample that stays as a vault grows."""
_PRIOR: Final = 10
"""Passages of the vault that weigh as much as the made-up ones."""

_QUESTIONS: Final = (
    "Why did we choose this?|How did we fix the error last week?|What was the name of the file?|Who is responsible for"
    " the release?|When does the job run?|Where is the setting for the colour?|Which library do we use for dates?|How"
    " many people can use it at once?|What should I do if the test fails?|Is the old version still supported?|How long"
    " does it take to build?|What did the customer complain about?",
    "이걸 왜 골랐지?|지난주에 그 오류를 어떻게 고쳤어?|그 파일 이름이 뭐였더라?|배포는 누가 맡고 있어?|그 작업은 언제 돌아가지?"
    "|색을 바꾸는 설정은 어디에 있어?|날짜 처리에 어떤 라이브러리를 써?|동시에 몇 명까지 쓸 수 있지?|테스트가 실패하면 뭘 해야 해?"
    "|예전 버전도 아직 지원하나?|빌드하는 데 얼마나 걸려?|고객이 무엇에 대해 불평했지?",
    "なぜこれを選んだの？|先週のエラーはどうやって直した？|あのファイルの名前は何だった？|リリースは誰が担当している？|そのジョブはいつ動く？"
    "|色の設定はどこにある？|日付にはどのライブラリを使っている？|同時に何人まで使える？|テストが失敗したらどうすればいい？"
    "|古いバージョンはまだサポートしている？|ビルドにどれくらいかかる？|お客さんは何に不満だった？",
    "我们为什么选这个？|上周那个错误是怎么修好的？|那个文件叫什么名字？|谁负责发布？|那个任务什么时候运行？|颜色的设置在哪里？"
    "|处理日期用的是哪个库？|最多可以几个人同时使用？|测试失败了该怎么办？|旧版本还支持吗？|构建需要多长时间？|客户抱怨了什么？",
)
_PASSAGES: Final = (
    "The build failed because a file was missing; it is in the repository now.|We meet on Tuesdays at ten and write"
    " down what was decided.|The page is slow when the list is long.|Set the option to true and start the service"
    " again.|The customer wants the report as a table.|Version two is faster but needs more memory.|The test was"
    " deleted since nobody could explain it.|The password is changed by the administrator.|Photos are stored on the"
    " second disk.|The train to the office was late, so the call was moved.|She wrote the text and he drew the"
    " pictures.|A new colleague starts in spring.",
    "파일이 빠져서 빌드가 실패했고, 지금은 저장소에 있습니다.|화요일 열 시에 모여서 정한 것을 적습니다.|목록이 길면 화면이 느려집니다."
    "|옵션을 켜고 서비스를 다시 시작하세요.|고객이 보고서를 표로 달라고 합니다.|두 번째 버전은 빠르지만 메모리를 더 씁니다."
    "|아무도 설명하지 못해서 그 테스트는 지웠습니다.|비밀번호는 관리자가 바꿉니다.|사진은 두 번째 디스크에 저장됩니다."
    "|사무실로 가는 기차가 늦어서 회의를 미뤘습니다.|글은 그가 쓰고 그림은 그녀가 그렸습니다.|봄에 새 동료가 들어옵니다.",
    "ファイルが足りずビルドに失敗しましたが、今はリポジトリにあります。|火曜の十時に集まり、決めたことを書き残します。|一覧が長いと画面が遅くなります。"
    "|オプションを有効にしてサービスを再起動してください。|お客さんは報告書を表で欲しがっています。|第二版は速いですが、メモリを多く使います。"
    "|誰も説明できないので、そのテストは消しました。|パスワードは管理者が変更します。|写真は二番目のディスクに保存されます。"
    "|電車が遅れたので会議をずらしました。|文章は彼女が書き、絵は彼が描きました。|春に新しい同僚が来ます。",
    "构建失败是因为少了一个文件，现在已经在仓库里了。|我们每周二十点开会，把决定写下来。|列表很长时页面会变慢。|打开这个选项，然后重启服务。"
    "|客户想要表格形式的报告。|第二版更快，但需要更多内存。|没人能解释那个测试，所以删掉了。|密码由管理员修改。|照片存放在第二块硬盘上。"
    "|火车晚点了，会议改了时间。|她写文字，他画图。|春天会来一位新同事。",
)
"""By language, as in ``analysis.LANGUAGES``."""


class Centring:
    """The means of one model's vectors. Any number of threads."""

    def __init__(self, folder: Path, embedder: Embedder, store: VectorStore) -> None:
        """Compare questions with the vectors in ``store``; the samples' vectors are kept in ``folder``."""
        self._embedder = embedder
        self._store = store
        self._samples = VectorStore(folder, f"{embedder.name}, samples", embedder.dimension)
        self._means: dict[tuple[str, int], NDArray[np.float32]] = {}
        self._lock = threading.RLock()
        self._known: tuple[object, object, NDArray[np.float32], NDArray[np.float32], NDArray[np.intp]] | None = None

    def identity(self) -> tuple[int, int]:
        """Return what changes whenever the cosines may."""
        return self._store.identity()

    def cosines(self, keys: NDArray[np.uint64], question: str, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the centred cosine of each key's text with a question and its vector; NaN where there is no vector."""
        with self._lock:
            means, lengths, languages = self._of_passages(keys)
            direction = vector - self._sample("question", language_of(question))
            direction = np.asarray(direction / max(float(np.linalg.norm(direction)), 1e-6), dtype=np.float32)
            found: NDArray[np.float32] = self._store.cosines(keys, direction)
            return np.asarray((found - (means @ direction)[languages]) / lengths, dtype=np.float32)

    def likeness(self, keys: NDArray[np.uint64], everything: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return the centred cosines of a few texts with one another, 0 where one has no vector.

        ``everything`` are the keys that the means are taken of, as in ``cosines``.
        """
        with self._lock:
            means, _, _ = self._of_passages(everything)
            slots = self._store.slots(keys)
            vectors = np.zeros((len(keys), self._store.dimension), dtype=np.float32)
            known = slots >= 0
            vectors[known] = self._store.vectors(slots[known]) - means[_languages(keys[known])]
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
            return vectors @ vectors.T

    def _of_passages(
        self, keys: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.intp]]:
        """Return the mean of each language, each key's distance from the mean of its language, and its language."""
        identity = self._store.identity()
        if self._known is None or self._known[0] is not keys or self._known[1] != identity:
            languages = _languages(keys)
            unique = np.unique(keys)
            slots = self._store.slots(unique)
            unique, slots = unique[slots >= 0], slots[slots >= 0]
            means = np.zeros((len(_PASSAGES), self._store.dimension), dtype=np.float32)
            lengths = np.ones(len(keys), dtype=np.float32)
            for language in np.unique(_languages(unique)).tolist():
                own = self._store.vectors(slots[_languages(unique) == language][:_MOST])
                prior = self._sample("passage", language)
                means[language] = (own.sum(axis=0) + _PRIOR * prior) / (len(own) + _PRIOR)
                of_it = languages == language
                products = self._store.cosines(keys[of_it], means[language])
                squares = 1 - 2 * products + float(means[language] @ means[language])
                lengths[of_it] = np.sqrt(np.maximum(squares, 1e-4))
            self._known = (keys, identity, means, lengths, languages)
        return self._known[2:]

    def _sample(self, kind: str, language: int) -> NDArray[np.float32]:
        """Return the mean of the made-up questions or passages of a language."""
        if (kind, language) not in self._means:
            if kind == "question":
                texts = _QUESTIONS[language].split("|")
                found = self._vectors(kind, texts, lambda new: np.stack([self._embedder.query(text) for text in new]))
            else:
                # In the shape in which conversations are embedded: the mean is of that shape as well.
                said = _PASSAGES[language].split("|")
                texts = [f"2026-03-01 claude-code\nuser: {text}\nassistant: {text}" for text in said]
                found = self._vectors(kind, texts, self._embedder.passages)
            self._means[kind, language] = found.mean(axis=0)
        return self._means[kind, language]

    def _vectors(
        self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        keys = np.array([vector_key(f"{kind}\0{text}") for text in texts], dtype=np.uint64)
        slots = self._samples.slots(keys)
        if (slots < 0).any():
            vectors = embed(texts)
            with suppress(OSError):  # a folder that cannot be written: they are made again next time
                self._samples.append(keys.tolist(), vectors)
            return vectors.astype(np.float16).astype(np.float32)  # as they will be read
        return self._samples.vectors(slots)


def _languages(keys: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the language of each key's text, see ``vector_key``."""
    return (keys & np.uint64(3)).astype(np.intp)
