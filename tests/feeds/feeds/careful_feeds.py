"""The content of the samples of BigCommerce, Vendure, Google and Facebook."""

from tests.feeds.feeds.careful import EAN, Product, Sample, Variant, left_out

BC, V, G = "https://bc.example/", "https://v.example/", "https://g.example/"
HOMES = "http://homes.example/"

BIGCOMMERCE = {
    "bigcommerce_older.csv": Sample(
        "USD",
        {
            "100": Product(
                "Canvas Shoe",
                {
                    "101": Variant(
                        5000, 6000, options={"Size": "40", "Color": "Red"}, stock=6, sells=True,
                        sku="CS-40-R",
                    ),
                    "102": Variant(
                        5000, 6000, options={"Size": "41", "Color": "Red"}, stock=0, sells=False,
                        sku="CS-41-R",
                    ),
                },
                "<p>Walks.</p>",
                vendor="Sole",
                type="Shoes/Canvas",
                images=[f"{BC}cs.jpg", f"{BC}cs-2.jpg"],
            ),
            "103": Product(
                "Laces",
                {"103": Variant(400, sells=False, sku="LA")},
                "Ties.",
                vendor="Sole",
                type="Shoes",
            ),
        },
    ),
    "bigcommerce_newer.csv": Sample(
        "USD",
        {
            "77": Product(
                "Robertson Bag",
                {
                    "81": Variant(
                        9000, options={"Size": "Small"}, stock=5, sku="RB-S", code=EAN
                    ),
                    "82": Variant(9900, 12000, options={"Size": "Large"}, stock=0, sku="RB-L"),
                },
                "Carries.",
                type="Bags",
                mpn="MPN-77",
                images=[f"{BC}rb-1.jpg", f"{BC}rb-2.jpg"],
            )
        },
    ),
}  # fmt: skip
VENDURE = {
    "vendure_variants.csv": Sample(
        "USD",
        {
            "laptop": Product(
                "Laptop",
                {
                    "L2201308": Variant(
                        129900, options={"screen size": "13 inch", "RAM": "8GB"}, sku="L2201308"
                    ),
                    "L2201508": Variant(
                        139900, options={"screen size": "15 inch", "RAM": "8GB"}, stock=100,
                        sku="L2201508",
                    ),
                    "L2201316": Variant(
                        219900, options={"screen size": "13 inch", "RAM": "16GB"}, stock=0,
                        sku="L2201316", image=f"{V}laptop-16.jpg",
                    ),
                },
                "Fast, and thin",
                images=[f"{V}laptop.jpg", f"{V}laptop-2.jpg"],
            ),
            "clacky-keyboard": Product(
                "Clacky Keyboard",
                {"A4TKLA45535": Variant(7489, stock=50, sku="A4TKLA45535")},
                "Loud.",
                images=[f"{V}keyboard.jpg"],
            ),
        },
    ),
    "vendure_simple.csv": Sample(
        "USD",
        {
            "spoon": Product("Spoon", {"SP-1": Variant(250, stock=7, sku="SP-1")}, "Stirs."),
            "fork": Product("Fork", {"FO-1": Variant(275, stock=0, sku="FO-1")}, "Picks."),
        },
    ),
}  # fmt: skip
GOOGLE = {
    "google_feed.tsv": Sample(
        "USD",
        {
            "TV-1": Product(
                'TV 40"',
                {"TV-1": Variant(15900, sells=True, code=EAN, image=f"{G}tv.jpg")},
                "Big, clear",
                f"{G}tv",
                "Acme",
                "Electronics > TV",
                "M-1",
                [f"{G}tv.jpg", f"{G}tv-2.jpg", f"{G}tv-3.jpg"],
            ),
            "SH": Product(
                "Shirt red",
                {
                    "SH-R": Variant(
                        1500, 2000, None, {"Color": "red", "Size": "M"}, sells=False,
                        image=f"{G}sh-r.jpg",
                    ),
                    "SH-B": Variant(
                        2000, None, "Shirt blue", {"Color": "blue", "Size": "M"}, sells=True,
                        sells_on=True, image=f"{G}sh-b.jpg",
                    ),
                },
                None,
                f"{G}sh?c=r",
                "Acme",
                "Clothes",
                images=[f"{G}sh-r.jpg"],
            ),
            "EU-1": Product(
                "Euro thing", {"EU-1": Variant(sells=True)}, link=f"{G}eu", vendor="Acme"
            ),
        },
        [(4, "EU-1", left_out("EUR"))],
    ),
    "google_feed.xml": Sample(
        "USD",
        {
            "M1": Product(
                "Mug",
                {"M1": Variant(1000, 1250, sells=True, image=f"{G}mug.jpg")},
                "A mug",
                f"{G}mug",
                "Clay",
                "Home > Mugs",
                images=[f"{G}mug.jpg", f"{G}mug-2.jpg", f"{G}mug-3.jpg"],
            ),
            "C1": Product("Cup", {"C1": Variant(129900, sells=False)}, link=f"{G}cup"),
        },
    ),
    "google_products.json": Sample(
        "USD",
        {
            "a1": Product(
                "Vase",
                {"a1": Variant(1995, 2438, sells=True, image=f"{G}vase.jpg")},
                link=f"{G}vase",
                vendor="Clay",
                images=[f"{G}vase.jpg", f"{G}vase-2.jpg"],
            ),
            "a2": Product("Bowl", {"a2": Variant(sells=False)}, link=f"{G}bowl", vendor="Clay"),
        },
        [(2, "a2", left_out("EUR"))],
    ),
}  # fmt: skip
F = "https://f.example/t"
FACEBOOK = {
    "facebook_catalog.csv": Sample(
        "USD",
        {
            "FB_G": Product(
                "Facebook T-Shirt",
                {
                    "FB_1": Variant(
                        800, 1000, None, {"Color": "royal blue", "Size": "M"}, 75, True,
                        image=f"{F}.jpg",
                    ),
                    "FB_2": Variant(
                        1000, None, None, {"Color": "royal blue", "Size": "L"}, 0, True, True,
                        image=f"{F}-l.jpg",
                    ),
                },
                "Unisex",
                F,
                "Facebook",
                "Apparel",
                images=[f"{F}.jpg", f"{F}-2.jpg", f"{F}-3.jpg"],
            )
        },
    ),
    "facebook_listing.xml": Sample(
        "USD",
        {
            "12345": Product(
                "1 Hacker Way",
                {"12345": Variant(100000000, image=f"{HOMES}a.jpg")},
                "An example",
                f"{HOMES}12345",
                images=[f"{HOMES}a.jpg", f"{HOMES}b.jpg"],
            ),
            "12346": Product(
                "2 Hacker Way",
                {"12346": Variant(75000000, image=f"{HOMES}c.jpg")},
                link=f"{HOMES}12346",
                images=[f"{HOMES}c.jpg"],
            ),
        },
    ),
}  # fmt: skip
FEEDS = {**BIGCOMMERCE, **VENDURE, **GOOGLE, **FACEBOOK}
