"""The content of the samples of Ceneo, idealo and Kelkoo."""

from tests.feeds.feeds.careful import EAN, Product, Sample, Variant, left_out

SKLEP, KSIAZKI = "https://sklep.example/", "https://ksiazki.example/"
LADEN, KESSEL = "https://laden.example/", "https://kessel.example/"
MERCHANT, SOKKEN = "https://merchant.example/", "https://sokken.example/"

CENEO = {
    "ceneo_offers.xml": Sample(
        "PLN",
        {
            "611": Product(
                "Buty Halny GTX 42",
                {
                    "611": Variant(
                        24990, options={"Size": "42"}, stock=7, sells=True, code=EAN,
                        image=f"{SKLEP}i/611.jpg",
                    )
                },
                "<p>Na góry.</p>",
                f"{SKLEP}buty-611",
                "Halny",
                "Odzież/Obuwie/Trekkingowe",
                "HG-42",
                [f"{SKLEP}i/611{n}.jpg" for n in ("", "a", "b")],
            ),
            "612": Product(
                "Kubek",
                {
                    "612": Variant(
                        2900, stock=0, sells=True, sells_on=True, image=f"{SKLEP}i/612.jpg"
                    )
                },
                None,
                f"{SKLEP}kubek",
                "Glina",
                "Dom/Kubki",
                images=[f"{SKLEP}i/612.jpg"],
            ),
            "613": Product(
                "Koc",
                {"613": Variant(119950, sells=True, sells_on=True)},
                link=f"{SKLEP}koc",
                type="Dom/Koce",
            ),
            "614": Product(
                "Lampa", {"614": Variant(8900)}, link=f"{SKLEP}lampa", type="Dom/Lampy"
            ),
        },
    ),
    "ceneo_groups.xml": Sample(
        "PLN",
        {
            "b1": Product(
                "Lalka",
                {
                    "b1": Variant(
                        3999, stock=3, sells=True, code="9788373271890", image=f"{KSIAZKI}b1.jpg"
                    )
                },
                "Powieść.",
                f"{KSIAZKI}b1",
                type="Książki",
                images=[f"{KSIAZKI}b1.jpg"],
            ),
            "b2": Product(
                "Zakładka",
                {"b2": Variant(1250, sells=True, sells_on=True, image=f"{KSIAZKI}b2.jpg")},
                "Skórzana.",
                f"{KSIAZKI}b2",
                "Papirus",
                "Papier",
                images=[f"{KSIAZKI}b2.jpg"],
            ),
        },
    ),
}  # fmt: skip
IDEALO = {
    "idealo_offers.csv": Sample(
        "EUR",
        {
            "A-17": Product(
                "Birke Wollweste M",
                {
                    "A-17": Variant(
                        8990, 11900, options={"Size": "M", "Color": "Grau"}, sku="A-17", code=EAN,
                        image=f"{LADEN}i/weste.jpg",
                    )
                },
                "Warm, aus Wolle",
                f"{LADEN}weste-m",
                "Birke",
                "Damen > Jacken",
                "BW-M",
                [f"{LADEN}i/weste.jpg", f"{LADEN}i/weste-2.jpg"],
            ),
            "A-18": Product(
                "Birke Wollweste L",
                {
                    "A-18": Variant(
                        8990, options={"Size": "L", "Color": "Grau"}, sku="A-18",
                        code="4006381333948", image=f"{LADEN}i/weste.jpg",
                    )
                },
                "Warm, aus Wolle",
                f"{LADEN}weste-l",
                "Birke",
                "Damen > Jacken",
                "BW-L",
                [f"{LADEN}i/weste.jpg"],
            ),
            "T-1": Product(
                "Teehaus Grüner Tee 500 g",
                {"T-1": Variant(125000, sku="T-1", code="4006381333955")},
                "Lose",
                f"{LADEN}tee",
                "Teehaus",
                "Lebensmittel > Tee",
                "GT500",
            ),
        },
    ),
    "idealo_german.csv": Sample(
        "EUR",
        {
            "B43677536A": Product(
                "Kessel & Co Wasserkocher 1,7 l",
                {"B43677536A": Variant(104900, 119900, code=EAN, image=f"{KESSEL}i/b-1.jpg")},
                "Kocht.",
                f"{KESSEL}b",
                "Kessel & Co",
                "Küche > Wasserkocher",
                "BDP9600/12",
                [f"{KESSEL}i/b-1.jpg", f"{KESSEL}i/b-2.jpg"],
            ),
            "B43677537A": Product(
                "Kessel & Co Sieb",
                {"B43677537A": Variant(450, image=f"{KESSEL}i/s-1.jpg")},
                None,
                f"{KESSEL}s",
                "Kessel & Co",
                "Küche > Zubehör",
                "BDP1",
                [f"{KESSEL}i/s-1.jpg"],
            ),
        },
    ),
}  # fmt: skip
KELKOO = {
    "kelkoo_products.xml": Sample(
        "NOK",
        {
            "K-100": Product(
                "Fleece trousers 100",
                {
                    "K-100": Variant(
                        59900, options={"Color": "Black"}, sells=True, sku="TR100", code=EAN,
                        image=f"{MERCHANT}i/100.jpg",
                    )
                },
                "For cold days.",
                f"{MERCHANT}p/100?utm_source=kelkoo",
                "North & Co",
                "Clothing - Men - Trousers",
                "NC-100",
                [f"{MERCHANT}i/100.jpg", f"{MERCHANT}i/100-2.jpg"],
            ),
            "K-101": Product(
                "Scarf",
                {"K-101": Variant(14950, sells=False, image=f"{MERCHANT}i/101.jpg")},
                link=f"{MERCHANT}p/101",
                type="Clothing - Scarves",
                images=[f"{MERCHANT}i/101.jpg"],
            ),
            "K-102": Product(
                "Boots",
                {"K-102": Variant(129900, sells=True, sells_on=True)},
                link=f"{MERCHANT}p/102",
                type="Clothing - Boots",
            ),
            "K-103": Product(
                "Belt",
                {"K-103": Variant()},
                link=f"{MERCHANT}p/103",
                type="Clothing - Belts",
            ),
        },
        [(4, "K-103", left_out("SEK"))],
    ),
    "kelkoo_feed.tsv": Sample(
        "EUR",
        {
            "s-1": Product(
                "Wool socks",
                {
                    "s-1": Variant(
                        995, 1295, options={"Size": "39"}, sells=True, sells_on=True, code=EAN,
                        image=f"{SOKKEN}i/1.jpg",
                    )
                },
                "Warm.",
                f"{SOKKEN}1",
                "Lam",
                "Socks",
                images=[f"{SOKKEN}i/1.jpg"],
            ),
            "s-2": Product(
                "Cotton socks",
                {
                    "s-2": Variant(
                        750, options={"Size": "40"}, sells=True, sells_on=True,
                        image=f"{SOKKEN}i/2.jpg",
                    )
                },
                "Light.",
                f"{SOKKEN}2",
                "Lam",
                "Socks",
                images=[f"{SOKKEN}i/2.jpg"],
            ),
        },
    ),
}  # fmt: skip
OFFERS = {**CENEO, **IDEALO, **KELKOO}
