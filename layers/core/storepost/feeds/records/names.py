"""Names of columns: how they are compared, and the names that a target has in several languages."""

import re
import unicodedata
from functools import lru_cache

from storepost.feeds.records.mapping import FeedField

_OTHER = re.compile(r"[^\w]+|_+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HINT = re.compile(r"\((?!\d+\))[^()]*\)|[*?#]|[\s:]+$")
"""What a header adds to a name, such as `(x,y,z...)`, `*` or `?`."""
_LANGUAGE = re.compile(r"(?<=\w):(?!id$|ID$)[A-Za-z]{2}(?:[-_][A-Z]{2})?$")
"""The language after a name, such as `name:en`."""
_NUMBER = re.compile(r"_\d+(?=_|$)")
_COUNTED = re.compile(r".*_\d+$")
_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ł": "l", "ø": "o"})


@lru_cache(maxsize=10_000)
def plain_name(column: str) -> str:
    """Returns the name in lower case with underscores, without `g:`, accents and hints."""
    bare = _LANGUAGE.sub("", column.strip().removeprefix("g:"))
    name = _CAMEL.sub("_", _HINT.sub(" ", bare).strip() or bare).lower().translate(_LETTERS)
    letters = unicodedata.normalize("NFKD", name)
    name = "".join(each for each in letters if unicodedata.category(each) != "Mn")
    return _OTHER.sub("_", unicodedata.normalize("NFC", name)).strip("_")


def compared_name(column: str) -> str:
    """Returns the name for look-ups: `imageLink`, `image link` and `IMAGELINK` are the same."""
    return plain_name(column).replace("_", "")


def compared_names(*names: str) -> frozenset[str]:
    """Returns the names for look-ups."""
    return frozenset(map(compared_name, names))


_SYNONYMS: dict[FeedField, str] = {
    FeedField.ID: "id item_id offer_id unique_id uniqueid product_id variant_id variants_id"
    " artikelnummer artikel_nr artikelnr article_number external_id variant_sku item_number"
    " artikel_id code"
    " produktnummer varenummer numero_article reference_produit identifiant id_produit id_producto"
    " codigo id_articulo codice id_prodotto codice_articolo artikelcode productnummer productcode"
    " product_code numer_katalogowy kod kod_produktu indeks"
    " артикул идентификатор код artikelnummer_im_shop article_number_in_shop",
    FeedField.ITEM_GROUP_ID: "item_group_id itemgroup_id itemgroupid group_id parent_id parent_sku"
    " variant_group variantgroup model_id product_group parent groupe_id id_groupe grupo_id"
    " id_grupo id_gruppo gruppo_id gruppen_id varianten_gruppe artikelgruppe artikelgruppen_id"
    " groep_id groeps_id"
    " id_grupy grupa_id master_id",
    FeedField.TITLE: "title product_title product_name productname name variants_name item_name"
    " titel"
    " bezeichnung artikelbezeichnung produktname titre nom nom_du_produit nom_produit titulo nombre"
    " nombre_del_producto titolo nome nome_prodotto productnaam naam tytul nazwa nazwa_produktu"
    " produktnamn produktnavn varenavn namn navn"
    " product nazev produkt model название наименование",
    FeedField.DESCRIPTION: "description product_description long_description body_html body desc"
    " description_html html_description beschreibung produktbeschreibung artikelbeschreibung"
    " langbeschreibung description_longue descripcion descripcion_larga descrizione omschrijving"
    " beschrijving opis opis_produktu popis descricao summary short_description short_desc"
    " kurzbeschreibung description_courte beskrivning beskrivelse описание",
    FeedField.LINK: "link url product_link product_url deeplink deep_link produkt_link produkt_url"
    " produktlink artikel_link artikel_url lien lien_produit url_produit enlace url_producto"
    " collegamento link_prodotto url_prodotto productlink producturl adres odkaz ссылка"
    " link_produktu url_produktu permalink storefront_url",
    FeedField.IMAGE_LINK: "image_link image_url image main_image main_image_url base_image"
    " image_src"
    " images_src featured_image imgurl img_url img picture picture_url primary_image photo bild"
    " bild_url bild_link bildlink bildadresse produktbild hauptbild lien_image url_image image_1"
    " image_0_url image_1_url"
    " image_url_1 imagen enlace_imagen url_imagen immagine link_immagine url_immagine afbeelding"
    " afbeelding_link afbeelding_url zdjecie link_do_zdjecia url_zdjecia obrazek imagem assets"
    " image_urls images изображение картинка thumbnail thumbnail_image small_image",
    FeedField.ADDITIONAL_IMAGE_LINK: "additional_image_link additional_image_links"
    " additional_images"
    " additional_image additionalimage additional_imageurl more_images other_images"
    " imgurl_alternative extra_images gallery media_gallery image_urls images weitere_bilder"
    " zusatzbilder"
    " weiterer_bildlink zusaetzlicher_bildlink images_supplementaires lien_image_supplementaire"
    " imagenes_adicionales enlace_imagen_adicional immagini_aggiuntive link_immagine_aggiuntiva"
    " extra_afbeeldingen extra_afbeelding_link dodatkowe_zdjecia dodatkowy_link_do_zdjecia",
    FeedField.PRICE: "price_vat price_with_vat price_tax_included price_incl_tax bruttopreis"
    " prix_ttc precio_con_iva prezzo_iva_inclusa prezzo_con_iva prezzo_ivato prijs_incl_btw"
    " prijs_inclusief_btw cena_brutto price regular_price"
    " variant_price variants_price base_price list_price preis verkaufspreis prix"
    " pris foersaeljningspris salgspris utsalgspris"
    " precio prezzo prijs verkoopprijs cena preco retail_price"
    " unit_price amount price_tax_excluded цена",
    FeedField.SALE_PRICE: "sale_price special_price discount_price discounted_price offer_price"
    " promo_price promotional_price sales_price action_price angebotspreis sonderpreis aktionspreis"
    " prix_promo prix_solde prix_promotionnel prix_reduit precio_oferta precio_de_oferta"
    " precio_rebajado prezzo_scontato prezzo_offerta prezzo_in_saldo aanbiedingsprijs actieprijs"
    " cena_promocyjna cena_wyprzedazy",
    FeedField.AVAILABILITY: "availability stock_status in_stock is_in_stock available instock"
    " delivery_date"
    " verfuegbarkeit lieferstatus lagerstatus disponibilite disponibilidad disponibilita"
    " beschikbaarheid dostepnosc dostupnost variants_available наличие",
    FeedField.QUANTITY: "quantity qty stock_quantity inventory_quantity stock_on_hand"
    " quantity_to_sell_on_facebook inventory stock stock_level current_stock_level current_stock"
    " variants_inventory_quantity bestand lagerbestand menge anzahl quantite stock_disponible"
    " lagersaldo lagerbeholdning lagerantal"
    " cantidad existencias quantita giacenza voorraad aantal ilosc stan_magazynowy количество"
    " count",
    FeedField.BRAND: "brand brand_name vendor manufacturer manufacturer_name marke hersteller"
    " varumaerke mærke tillverkare marque fabricant marca fabricante produttore merk"
    " fabrikant marka producent vyrobce бренд"
    " производитель manufacturer_brand_name hersteller_markenname herstellername_markenname",
    FeedField.PRODUCT_TYPE: "product_type category category_name categories category_path"
    " product_category categorytext category_text category_id kategorie produkttyp produktart"
    " warengruppe"
    " categorie categories_produit type_de_produit categoria categorias tipo_de_producto"
    " tipo_di_prodotto"
    " producttype categorie_naam kategoria kategorie_produktu typ_produktu категория"
    " google_product_category merchant_category produktgruppe_im_shop product_group_in_shop type",
    FeedField.GTIN: "gtin ean ean13 gtin13 ean_13 ean_code upc barcode isbn jan gtin14"
    " eans ean_gtin_barcode variant_barcode"
    " variants_barcode product_upc_ean product_upc upc_ean code_barres codigo_de_barras"
    " codice_a_barre streepjescode kod_kreskowy kod_ean штрихкод",
    FeedField.MPN: "mpn manufacturer_part_number part_number productno herstellernummer"
    " herstellerartikelnummer reference_fabricant numero_de_pieza codice_produttore"
    " onderdeelnummer fabrikantnummer numer_czesci vendor_code kod_producenta"
    " original_herstellerartikelnummer han_mpn hans",
    FeedField.SKU: "sku variant_sku variants_sku item_sku seller_sku product_code_sku artikel_sku"
    " reference reference_sku referencia ugs",
    FeedField.COLOR: "color colour farbe couleur colore kleur kolor barva cor"
    " faerg farve farge цвет",
    FeedField.SIZE: "size groesse taille talla tamano taglia maat rozmiar velikost tamanho"
    " storlek storrelse"
    " размер",
    FeedField.MATERIAL: "material fabric matiere materiau materiale materiaal",
    FeedField.PATTERN: "pattern muster motif estampado motivo patroon wzor",
    FeedField.LOCALE: "locale language lang content_language sprache langue idioma lingua taal"
    " jezyk",
}
SYNONYMS = {target: names.replace("_", "").split() for target, names in _SYNONYMS.items()}
"""The names of each target in the form for look-ups, the surest first."""

_FORMER = re.compile(
    r"compare_?at|old_?price|was_?price|former_?price|original_?price|before_?discount|strike"
    r"|streich_?preis|prix_?barre|precio_?anterior|prezzo_?(?:precedente|barrato|originale)"
    r"|(?:oude|vorige|oorspronkelijke)_?prijs|(?:stara|poprzednia)_?cena|cena_?przekreslona"
    r"|cena_?przed_?(?:obnizka|promocja|znizka)"
    r"|(list_?price|rrp|msrp|uvp|prezzo_?di_?listino|advies_?prijs|cena_?katalogowa)"
)
_VARIANT = re.compile(r"variants?_?(?=.)")


def is_compare_at_price(column: str) -> bool:
    """Returns whether a column with this name has the price before a reduction."""
    return _FORMER.search(plain_name(column)) is not None


def is_recommended_price(column: str) -> bool:
    """Returns whether a column with this name has the price that a manufacturer recommends."""
    found = _FORMER.search(plain_name(column))
    return found is not None and found[1] is not None


def is_variants_own(column: str) -> bool:
    """Returns whether a column with this name is about variants alone, such as `Variant Image`."""
    return _VARIANT.match(plain_name(column)) is not None


def without_number(name: str) -> str:
    """Returns the plain name without its number: `image` for `image_1` and `image_url` for
    `image_1_url`.
    """
    return _NUMBER.sub("", name)


def number_of(name: str) -> int:
    """Returns the number at the plain name's end, such as 2 of `image_2`; 0 if it has none."""
    return int(name.rpartition("_")[2][:9]) if _COUNTED.fullmatch(name) else 0
