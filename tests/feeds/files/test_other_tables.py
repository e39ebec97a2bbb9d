"""Tables as people and programs write them."""

import pytest

from tests.feeds.files.making import read

ROWS = [{"id": "1", "title": "Cup, red"}, {"id": "2", "title": "Pot"}]


@pytest.mark.parametrize(
    "content",
    {
        "a line that names the delimiter": 'sep=;\r\nid;title\r\n1;"Cup, red"\r\n2;Pot\r\n',
        "a line that names another delimiter": 'SEP=^\nid^title\n1^"Cup, red"\n2^Pot\n',
        "comments": '# Required | an id\n"# for shops"\nid,title\n1,"Cup, red"\n2,Pot\n',
        "spaces before quotes": 'id, "title"\n1, "Cup, red"\n2, "Pot"\n',
        "a trailing delimiter": 'id,title,\n1,"Cup, red",\n2,Pot,\n',
        "one in the rows alone": 'id,title\n1,"Cup, red",\n2,Pot,,\n',
        "one in the header alone": 'id,title,\n1,"Cup, red"\n2,Pot\n',
        "the header again": 'id,title\n1,"Cup, red"\nid,title\n2,Pot\n',
        "more commas than semicolons": 'id;"title"\n1;Cup, red\n2;Pot\n',
        "empty rows": '\n,\nid,title\n\n1,"Cup, red"\n\n2,Pot\n',
    }.items(),
    ids=lambda pair: pair[0],
)
def test_unusual_tables_are_read(content: tuple[str, str]) -> None:
    assert read(content[1].encode())[1] == ROWS


def test_delimiter_is_detected_in_several_rows() -> None:
    """The header has more commas, but the rows have semicolons alone."""
    content = "id;name, size, color, more;price\n1;Cup;5,00\n2;Pot;7,00\n3;Pan;9,50\n"
    _, [first, *_] = read(content.encode())
    assert first == {"id": "1", "name, size, color, more": "Cup", "price": "5,00"}


def test_multiline_cells() -> None:
    content = 'id;text\n1;"a;b\n\nc, ""d"""\n2;x\n'
    assert read(content.encode())[1] == [
        {"id": "1", "text": 'a;b\n\nc, "d"'},
        {"id": "2", "text": "x"},
    ]


def test_column_name_may_begin_with_number_sign() -> None:
    assert read(b"#id,title\n1,Cup\n")[1] == [{"#id": "1", "title": "Cup"}]


TEXTS = {
    "cp1252": "Größe für Gläser, schöne Grüße; naïve Façade",
    "cp1250": "Zażółć gęślą jaźń, żółty płaszcz z wełny",
    "cp1251": "Красная рубашка из хлопка, тёплые брюки",
    "cp1253": "Κόκκινο πουκάμισο από βαμβάκι, ζεστό παντελόνι",
    "shift_jis": "赤いシャツと青いズボン、とても暖かいです",
    "gb18030": "红色棉质衬衫和蓝色长裤和非常暖和",
    "euc_kr": "빨간 셔츠와 파란 바지, 아주 따뜻합니다",
}


@pytest.mark.parametrize("encoding", TEXTS)
@pytest.mark.parametrize("before", [0, 200_000], ids=["at once", "far behind"])
def test_undeclared_encoding_is_detected(encoding: str, before: int) -> None:
    """All that is read is examined, wherever in it the first non-ASCII letter is."""
    plain = "1,Cup\n" * (before // 6)
    content = f"id,title\n{plain}" + f'2,"{TEXTS[encoding]}"\n' * 20
    rows = read(content.encode(encoding))[1]
    assert rows[-1] == {"id": "2", "title": TEXTS[encoding]}
    assert len(rows) == before // 6 + 20


LETTERS = {
    "Czech": ("cp1250", "Žlutý kůň, příliš lehký, 1 290 Kč"),
    "Slovak": ("cp1250", "Ľahké topánky, červená čiapka, hnedý ťavý"),
    "Hungarian": ("cp1250", "Őszi cipő nőknek, könnyű, fűzős"),
    "Romanian": ("cp1250", "Cămaşă pentru bărbaţi"),
    "Croatian": ("cp1250", "Košulja, muška odjeća, crvena čaša"),
    "Polish in ISO 8859-2": ("iso8859-2", "Żółta koszulka ze złotą nicią, śliczne źdźbło"),
    "Czech in ISO 8859-2": ("iso8859-2", "Žlutý kůň, šťastný, příliš lehký"),
    "Danish": ("cp1252", "Rød kjole på tilbud, blå sko, æble"),
    "Italian": ("cp1252", "Più leggera, di qualità, così è la città"),
    "Portuguese": ("cp1252", "Calção de algodão, não encolhe, três cores"),
    "Spanish with signs": ("cp1252", "¡Última! ±5 años, ½ precio, ¿cuál? Niño, algodón"),
    "French beside German": ("cp1252", "Größe für Mädchen und Gläser, naïve Façade à Orléans"),
}
"""What two encodings both have letters for, such as `è` and `č`."""


@pytest.mark.parametrize("language", LETTERS)
def test_encoding_is_detected_by_letters_of_language(language: str) -> None:
    encoding, text = LETTERS[language]
    rows = read(f'id,title\n1,"{text}"\n'.encode(encoding))[1]
    assert rows == [{"id": "1", "title": text}]
