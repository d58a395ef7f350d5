"""The settings of Scrapy for the shop, with those of Pagedrift."""

BOT_NAME = "shop"
SPIDER_MODULES = ["shop.spiders"]
CONCURRENT_REQUESTS = 1

ADDONS = {"pagedrift.integrations.scrapy.SelectorAddon": 500}
PAGEDRIFT_FOLDER = "learned"  # what was learned, and some pages of each template
PAGEDRIFT_ADAPTIVE = True  # use the proposal where a selector finds nothing, and mark such items
PAGEDRIFT_MIN_FIELDS = 0.5  # mark items with less than half of the usual fields
