"""The content of the samples of Shopify, WooCommerce, PrestaShop and Magento."""

from tests.feeds.feeds.careful import EAN, Product, Sample, Variant

CDN, SHOP, M2 = "https://cdn.example.com/", "https://shop.example/", "https://m2.example/"

SHOPIFY = {
    "shopify_older.csv": Sample(
        "USD",
        {
            "linen-shirt": Product(
                "Linen Shirt",
                {
                    "LS-S-W": Variant(
                        3900, 4900, None, {"Size": "S", "Color": "White"}, 4, True,
                        sku="LS-S-W", code=EAN, image=f"{CDN}linen-white.jpg",
                    ),
                    "LS-M-W": Variant(
                        3900, 4900, None, {"Size": "M", "Color": "White"}, 0, False, sku="LS-M-W"
                    ),
                    "LS-M-B": Variant(
                        4500, None, None, {"Size": "M", "Color": "Blue"}, 0, True, True,
                        sku="LS-M-B", image=f"{CDN}linen-blue.jpg",
                    ),
                },
                "<p>Cool,\nand light.</p>",
                vendor="Birch & Co",
                type="Shirts",
                images=[f"{CDN}linen-{n}.jpg" for n in (1, 2, 3)],
            ),
            "gift-wrap": Product(
                "Gift Wrap",
                {"GW-1": Variant(350, sells=True, sku="GW-1")},
                vendor="Birch & Co",
                type="Extras",
            ),
            "candle": Product(
                "Candle",
                {"CA-1": Variant(1200, stock=12, sells=True, sku="CA-1")},
                "Burns long.",
                vendor="Wax Works",
                type="Home",
                images=[f"{CDN}candle.jpg"],
            ),
        },
    ),
    "shopify_no_skus.csv": Sample(
        "USD",
        {
            "ring": Product(
                "Silver Ring",
                {
                    "ring/7": Variant(
                        5099, options={"Finger": "7"}, sells=True, image=f"{CDN}ring-1.jpg"
                    ),
                    "ring/8": Variant(5299, options={"Finger": "8"}, sells=True),
                },
                "A ring.",
                vendor="Company 123",
                type="Jewelry",
                images=[f"{CDN}ring-{n}.jpg" for n in (1, 2, 3)],
            ),
            "chain": Product(
                "Gold Chain",
                {"chain": Variant(6999, sells=True, image=f"{CDN}chain-1.jpg")},
                "A chain.",
                vendor="Company 123",
                type="Jewelry",
                images=[f"{CDN}chain-{n}.jpg" for n in (1, 2)],
            ),
        },
    ),
    "shopify_newer.csv": Sample(
        "USD",
        {
            "snowboard": Product(
                "Snowboard",
                {
                    "SB-150": Variant(
                        49995, options={"Length": "150 cm"}, stock=3, sells=True, sku="SB-150"
                    ),
                    "SB-160": Variant(
                        51995, 59995, options={"Length": "160 cm"}, stock=0, sells=False,
                        sku="SB-160", image=f"{CDN}sb-160.jpg",
                    ),
                },
                "Fast.",
                vendor="Acme",
                type="Board",
                images=[f"{CDN}sb.jpg", f"{CDN}sb-160.jpg"],
            ),
            "wax": Product(
                "Wax",
                {"WX-1": Variant(995, stock=40, sells=True, sells_on=True, sku="WX-1")},
                "Smooth.",
                vendor="Acme",
                type="Care",
            ),
        },
    ),
    "shopify_products.json": Sample(
        "USD",
        {
            "632910392": Product(
                "IPod Nano - 8GB",
                {
                    "808950810": Variant(
                        19900, 24900, options={"Color": "Pink"}, sells=True,
                        sku="IPOD2008PINK", image=f"{CDN}nano-2.png",
                    ),
                    "49148385": Variant(
                        19900, options={"Color": "Red"}, sells=False, sku="IPOD2008RED"
                    ),
                },
                "<p>It's the small iPod.</p>",
                vendor="Apple",
                type="Cult Products",
                images=[f"{CDN}nano.png", f"{CDN}nano-2.png"],
            ),
            "921728736": Product(
                "IPod Touch 8GB",
                {"447654529": Variant(119900, sells=True, sku="IPOD2009BLACK")},
                vendor="Apple",
                type="Cult Products",
            ),
        },
    ),
}  # fmt: skip
WOOCOMMERCE = {
    "woocommerce_parents.csv": Sample(
        "EUR",
        {
            "44": Product(
                "V-Neck T-Shirt",
                {
                    "45": Variant(
                        2000, title="V-Neck T-Shirt - Blue",
                        options={"Color": "Blue", "Size": "Large"}, stock=7, sells=True,
                        sku="woo-vneck-blue", image=f"{SHOP}vneck-blue.jpg",
                    ),
                    "46": Variant(
                        2000, title="V-Neck T-Shirt - Green",
                        options={"Color": "Green", "Size": "Medium"}, stock=0, sells=False,
                    ),
                },
                "Long words of a shirt.",
                type="Clothing > Tshirts",
                images=[f"{SHOP}vneck-2.jpg", f"{SHOP}vnech-green-1.jpg"],
            ),
            "50": Product(
                "Album",
                {
                    "50": Variant(
                        1500, 1850, sells=True, sells_on=True, sku="woo-album",
                        image=f"{SHOP}album.jpg",
                    )
                },
                "Music.",
                type="Music",
                images=[f"{SHOP}album.jpg"],
            ),
        },
    ),
    "woocommerce_skus.csv": Sample(
        "EUR",
        {
            "mug": Product(
                "Becher",
                {
                    "mug-rot": Variant(
                        990, 1290, "Becher - rot", {"Farbe": "rot"}, 3, True, sku="mug-rot",
                        code=EAN,
                    ),
                    "mug-blau": Variant(
                        1290, None, "Becher - blau", {"Farbe": "blau"}, 0, False, sku="mug-blau",
                        image=f"{SHOP}mug-blau.jpg",
                    ),
                },
                "Aus Ton.",
                type="Küche",
                images=[f"{SHOP}mug.jpg"],
            ),
            "cup": Product(
                "Tasse", {"cup": Variant(129900, sells=True, sku="cup")}, type="Küche"
            ),
        },
    ),
}  # fmt: skip
PRESTASHOP = {
    "prestashop_products.csv": Sample(
        "EUR",
        {
            "1": Product(
                "iPod Nano",
                {
                    "1": Variant(
                        4990, stock=100, sku="RP-demo_1", code=EAN,
                        image="http://shop.example/img/1.jpg",
                    )
                },
                '<p>Long, with a comma; and "quotes"</p>',
                vendor="Apple",
                type="Home,iPods",
                images=["http://shop.example/img/1.jpg", "http://shop.example/img/2.jpg"],
            ),
            "2": Product(
                "iPod Touch",
                {"2": Variant(129900, stock=0, sku="RP-demo_2")},
                "Touch it.",
                vendor="Apple",
                type="Home,iPods",
            ),
        },
    ),
    "prestashop_combinations.csv": Sample(
        "EUR",
        {
            "1": Product(
                None,
                {
                    "RP-Blue-16": Variant(
                        options={"Color": "Blue", "Disk space": "16GB"}, stock=10,
                        sku="RP-Blue-16", code=EAN, image="http://shop.example/img/blue.jpg",
                    ),
                    "RP-Red-32": Variant(
                        options={"Color": "Red", "Disk space": "32GB"}, stock=0, sku="RP-Red-32"
                    ),
                },
                images=["http://shop.example/img/blue.jpg"],
            )
        },
    ),
    "prestashop_combinations_bare.csv": Sample(
        "EUR",
        {
            "7": Product(
                None,
                {
                    "7/S": Variant(options={"Size": "S"}, stock=4),
                    "7/M": Variant(options={"Size": "M"}, stock=0),
                },
            )
        },
    ),
}  # fmt: skip
MAGENTO = {
    "magento_configurable.csv": Sample(
        "USD",
        {
            "MH01": Product(
                "Chaz Hoodie",
                {
                    "MH01-XS-Black": Variant(
                        5200, None, "Chaz Hoodie-XS-Black", {"Size": "XS", "Color": "Black"},
                        100, True, sku="MH01-XS-Black", image=f"{M2}mh01-black.jpg",
                    ),
                    "MH01-M-Gray": Variant(
                        3900, 5200, "Chaz Hoodie-M-Gray", {"Size": "M", "Color": "Gray"},
                        0, False, sku="MH01-M-Gray", image=f"{M2}mh01-gray.jpg",
                    ),
                },
                "Cosy and soft.",
                type="Default Category/Men/Tops",
                images=[f"{M2}mh01.jpg", f"{M2}mh01-a.jpg", f"{M2}mh01-b.jpg"],
            ),
            "WT08": Product(
                "Tank",
                {"WT08": Variant(1800, stock=5, sells=True, sku="WT08")},
                "A tank.",
                type="Default Category",
            ),
        },
    ),
    "magento_simple.csv": Sample(
        "USD",
        {
            "A-1": Product(
                "Bag",
                {"A-1": Variant(3400, stock=10, sells=True, sku="A-1", image=f"{M2}bag.jpg")},
                "A bag.",
                type="Default Category/Bags",
                images=[f"{M2}bag.jpg", f"{M2}bag-2.jpg"],
            ),
            "A-2": Product(
                "Warranty",
                {"A-2": Variant(550, stock=0, sells=False, sku="A-2")},
                type="Default Category/Bags",
            ),
        },
    ),
}  # fmt: skip
SHOPS = {**SHOPIFY, **WOOCOMMERCE, **PRESTASHOP, **MAGENTO}
