"""The content of the samples of price comparisons: Heureka, Zboží, Yandex, Skroutz."""

from tests.feeds.feeds.careful import EAN, Product, Sample, Variant, left_out

OBCHOD, ESHOP, BEST = "https://obchod.example/", "https://eshop.example/", "http://best.example/"

HEUREKA = {
    "heureka_variants.xml": Sample(
        "CZK",
        {
            "EF789": Product(
                "Nokia 5800 XpressMusic",
                {
                    "AB123": Variant(
                        600050, options={"Color": "černá"}, sells=True, code="6417182041488",
                        image=f"{OBCHOD}nokia.jpg",
                    ),
                    "AB124": Variant(
                        610000, options={"Color": "bílá"}, sells=True, sells_on=True,
                        image=f"{OBCHOD}nokia-bila.jpg",
                    ),
                },
                "Klasický telefon",
                f"{OBCHOD}nokia?barva=cerna",
                "NOKIA",
                "Elektronika | Mobilní telefony",
                "RM-559394",
                [f"{OBCHOD}nokia{n}.jpg" for n in ("", "-2", "-3")],
            )
        },
    ),
    "heureka_simple.xml": Sample(
        "CZK",
        {"1": Product("Hrnek", {"1": Variant(19900, sells=True)}, link=f"{OBCHOD}hrnek")},
    ),
}  # fmt: skip
BOTY = "https://boty.example/"
ZBOZI = {
    "zbozi_feed.xml": Sample(
        "CZK",
        {
            "E": Product(
                "Boty Ecco",
                {
                    "E-42": Variant(
                        249000, options={"Size": "42"}, code=EAN, image=f"{BOTY}ecco.jpg"
                    ),
                    "E-43": Variant(249090, options={"Size": "43"}, sells=True, sells_on=True),
                },
                "Kožené boty",
                f"{BOTY}ecco-42",
                "Ecco",
                "Oblečení a móda | Obuv",
                images=[f"{BOTY}ecco.jpg"],
            )
        },
    ),
    "zbozi_prefixed.xml": Sample(
        "CZK",
        {
            "9": Product(
                "Lampa",
                {"9": Variant(129000, sells=True, image="https://lampy.example/9.jpg")},
                link="https://lampy.example/9",
                images=["https://lampy.example/9.jpg"],
            )
        },
    ),
}  # fmt: skip
S = "http://s.example/"
YML = {
    "yml_offers.xml": Sample(
        "RUB",
        {
            "9012": Product(
                "Мороженица Brand 3811",
                {
                    "9012": Variant(
                        899000, 999000, options={"Color": "белый"}, sells=True,
                        code="4601546021298", image=f"{BEST}img/1.jpg",
                    )
                },
                "<h3>Мороженица</h3> с термостатом",  # noqa: RUF001
                f"{BEST}product?id=12345",
                "Brand",
                "Бытовая техника > Мелкая техника > Сэндвичницы",
                "A1234567B",
                [f"{BEST}img/1.jpg", f"{BEST}img/2.jpg"],
            ),
            "9013": Product(
                "Чайник",
                {"9013": Variant(159050, sells=False)},
                link=f"{BEST}product?id=9013",
                type="Бытовая техника > Мелкая техника",
            ),
            "9014": Product(
                "Toaster",
                {"9014": Variant(sells=True)},
                link=f"{BEST}product?id=9014",
                type="Бытовая техника",
            ),
        },
        [(3, "9014", left_out("USD"))],
    ),
    "yml_groups.xml": Sample(
        "RUB",
        {
            "55": Product(
                "Step Кеды",
                {
                    "s1": Variant(
                        450000, options={"Size": "40", "Color": "красный"}, sells=True,
                        image=f"{S}s1.jpg",
                    ),
                    "s2": Variant(470000, options={"Size": "41", "Color": "синий"}, sells=True),
                },
                None,
                f"{S}s1",
                "Step",
                "Обувь",
                images=[f"{S}s1.jpg"],
            )
        },
    ),
}  # fmt: skip
SKROUTZ = {
    "skroutz_products.xml": Sample(
        "EUR",
        {
            "100": Product(
                "Παπούτσια Nike 42",
                {
                    "100": Variant(
                        8990, options={"Size": "42", "Color": "Μαύρο"}, stock=5, sells=True,
                        code=EAN, image=f"{ESHOP}i/100.jpg",
                    )
                },
                None,
                f"{ESHOP}p/100",
                "Nike",
                "Αθλητικά > Παπούτσια",
                "AR3561",
                [f"{ESHOP}i/100{n}.jpg" for n in ("", "a", "b")],
            ),
            "101": Product(
                "Τσάντα",
                {
                    "101": Variant(
                        129000, stock=0, sells=True, sells_on=True, image=f"{ESHOP}i/101.jpg"
                    )
                },
                None,
                f"{ESHOP}p/101",
                "Bag Co",
                "Τσάντες",
                "B1",
                [f"{ESHOP}i/101.jpg"],
            ),
        },
    ),
    "skroutz_single.xml": Sample(
        "EUR",
        {
            "5": Product(
                "Kettle",
                {"5": Variant(2490, stock=3, sells=True, image=f"{ESHOP}i/5.jpg")},
                None,
                f"{ESHOP}p/5",
                "Tea Co",
                "Home",
                images=[f"{ESHOP}i/5.jpg"],
            )
        },
    ),
}  # fmt: skip
SHIRT = f"{ESHOP}p/200"
NESTED = {
    "skroutz_variations.xml": Sample(
        "EUR",
        {
            "200": Product(
                "Linen Shirt",
                {
                    "200-S": Variant(
                        3000, options={"Size": "S", "Color": "White"}, stock=3, sells=True,
                        code=EAN, image=f"{ESHOP}i/200.jpg",
                    ),
                    "200-M": Variant(
                        3200, options={"Size": "M", "Color": "White"}, stock=4, sells=True,
                        image=f"{ESHOP}i/200.jpg",
                    ),
                },
                "Light.",
                f"{SHIRT}?size=S",
                "Loom",
                "Clothes > Shirts",
                "LS-1",
                [f"{ESHOP}i/200.jpg", f"{ESHOP}i/200a.jpg"],
            ),
            "201": Product(
                "Cup",
                {"201": Variant(550, stock=1, sells=True, image=f"{ESHOP}i/201.jpg")},
                None,
                f"{ESHOP}p/201",
                "Loom",
                "Home",
                images=[f"{ESHOP}i/201.jpg"],
            ),
        },
    ),
    "yml_vendor_model.xml": Sample(
        "RUB",
        {
            "7": Product(
                "Чайник Brand 77",
                {
                    "7": Variant(
                        199000, 249000, stock=4, sells=True, image=f"{BEST}img/7.jpg"
                    )
                },
                None,
                f"{BEST}7",
                "Brand",
                "Техника",
                images=[f"{BEST}img/7.jpg"],
            ),
            "8": Product(
                "Brand Mini 8",
                {"8": Variant(99000, stock=0, sells=False)},
                None,
                f"{BEST}8",
                "Brand",
                "Техника",
            ),
        },
    ),
    "zbozi_no_ids.xml": Sample(
        "CZK",
        {
            EAN: Product(
                "Bačkory",
                {
                    EAN: Variant(
                        114900, 129900, sells=True, code=EAN, image="http://lampy.example/b.jpg"
                    )
                },
                "Teplé.",
                "http://lampy.example/b",
                "Loom",
                "Obuv | Bačkory",
                images=["http://lampy.example/b.jpg", "http://lampy.example/b2.jpg"],
            ),
            "4006381333948": Product(
                "Podložka",
                {"4006381333948": Variant(12000, code="4006381333948")},
                None,
                "http://lampy.example/p",
                type="Domov",
            ),
        },
    ),
}  # fmt: skip
COMPARISONS = {**HEUREKA, **ZBOZI, **YML, **SKROUTZ, **NESTED}
