from tests.coupons.shop import Shop, counts

def test_all(shop: Shop) -> None:
    coupon = shop.pool(3)
    assert shop.counts(coupon) == counts(available=3)
    ann, bob = shop.person(), shop.person()
    a = shop.given(coupon, ann)
    assert shop.assign(coupon, ann).json == a
    b = shop.given(coupon, bob)
    assert a["code"] != b["code"]
    shop.check()
    shop.use(a["code"].lower())
    assert shop.counts(coupon) == counts(available=1, assigned=1, used=1)
    shop.check()
    ended = shop.call("POST", f"/coupons/{coupon}/end")
    assert ended.status == 200, ended.body
    assert ended.json["codes"] == counts(assigned=1, used=1, expired=1)
    assert shop.counts(coupon) == counts(assigned=1, used=1, expired=1)
    shop.world.deliver()
    assert shop.counts(coupon) == counts(assigned=1, used=1, expired=1)
    shop.check()
    big = shop.pool(100, validity={"type": "days", "days": 2})
    shop.world.deliver()
    assert shop.counts(big) == counts(available=100)
    shop.check()
    shop.given(big, ann)
    shop.check()
    shop.world.advance(days=3)
    shop.token, _ = shop.world.sign_in(shop.owner.id, shop.workspace)
    assert shop.counts(big) == counts(available=99, expired=1)
    shop.run_expiry()
    assert shop.counts(big) == counts(available=99, expired=1)
    shop.check()
    made = shop.brought("code\nA1\nA2\na1\n b\n")
    assert made.status == 202, made.body
    assert made.json["codes"] == counts(pending=2)
    assert made.json["importSkipped"] == 2
    shop.world.deliver()
    assert shop.counts(made.json["id"]) == counts(available=2)
    shop.check()
