#!/usr/bin/env python3
"""Makes the colour emoji of the pages: web/fonts/colour-emoji-*.woff2 and web/kit/fonts-emoji.css.

Run it by hand after a change. The build, the server and the tests need only its results:

    apt-get download fonts-noto-color-emoji && dpkg -x fonts-noto-color-emoji_*.deb /tmp/emoji
    apt-get install python3-fonttools python3-brotli python3-pil pngquant
    python3 scripts/web-emoji.py /tmp/emoji/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf

Browsers before Chrome 98 draw no COLRv1, and the wall supports Chrome 87. So the files contain pictures (CBDT), smaller
ones than the source. A browser loads only the file with the emoji on the page.
"""
import io
import struct
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.fontBuilder import FontBuilder
from fontTools.subset import Options, Subsetter
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from PIL import Image, ImageChops, ImageFilter

ROOT = Path(__file__).resolve().parent.parent
FONTS = ROOT / 'web/fonts'
CSS = ROOT / 'web/kit/fonts-emoji.css'
FAMILY = 'Colour Emoji'
KEYCAPS = 'Colour Keycaps'
SPACE = 'Emoji Space'
KEYCAP_SPACE = 'Keycap Space'
# A picture of 72 pixels with 32 colours looks like the source at the size of a name on a wall, with a third of the bytes.
PPEM = 58
COLOURS = 32

JOINER, KEYCAP, PRESENTATION = 0x200D, 0x20E3, 0xFE0F


def span(first, last):
    return set(range(first, last + 1))


def characters(text):
    return {ord(character) for character in text if ord(character) not in (PRESENTATION, JOINER)}


TONES = span(0x1F3FB, 0x1F3FF)
REGIONS = span(0x1F1E6, 0x1F1FF)
TAGS = span(0xE0020, 0xE007F)
DIGITS = characters('#*0123456789')
# Signs that text uses without colour, such as © and ↔. Other fonts draw them, also when a phone adds a request for colour.
PLAIN = (
    DIGITS
    | characters('©®‼⁉™ℹ↩↪Ⓜ▪▫▶◀◻◼☑♀♂♾✔✖〰〽㊗㊙⤴⤵')
    | span(0x2194, 0x2199)
    | span(0x2B05, 0x2B07)
)
# The left hand of a handshake, the breath of a sigh and 🔥 of a burning heart are not in the file of the other half:
# browsers ignore the joiner that this file lacks, and draw two emoji.
HANDS = (
    characters('🔥☝✊✋✌✍👂👃💅💪🖐🖕🖖🙌🙏🤌🤏🤝🤳🤲🦵🦶🦻🫰🫱🫳🫴🫵🫶🫷🫸')
    | span(0x1F446, 0x1F450)
    | span(0x1F918, 0x1F91F)
)
# Emoji that donors write most: faces, hearts, stars and all for a party.
COMMON = (
    span(0x1F600, 0x1F644)
    | span(0x1F648, 0x1F64A)
    | span(0x1F910, 0x1F917)
    | span(0x1F920, 0x1F925)
    | span(0x1F927, 0x1F92F)
    | span(0x1F970, 0x1F97A)
    | span(0x1FAE0, 0x1FAE8)
    | span(0x1F493, 0x1F49F)
    | span(0x1F380, 0x1F38A)
    | span(0x1F947, 0x1F949)
    | characters('🧐☺☹❤❣🧡🖤🤍🤎🩵🩶🩷💋💌💐💥💯💰💶💷💵✨⭐🌟🎂🎆🎇🎵🎶🏆🥂🍾🍻🚀☀🌹🌸🌻🍀🐾🕊👑💎🏥👶🥇🥈🥉')
)
# The file of people contains the flags that are joined, such as the rainbow flag, because only this file joins emoji.
FLAGS = REGIONS | TAGS | characters('🏴🏁🚩🎌')


def sequences_of(font):
    """Returns the ligatures of the font as a map from their characters to the name of the glyph."""
    names = {}
    for code, name in font.getBestCmap().items():
        names.setdefault(name, code)
    found = {}
    for first, ligatures in font['GSUB'].table.LookupList.Lookup[0].SubTable[0].ligatures.items():
        for ligature in ligatures:
            found[tuple(names[name] for name in [first, *ligature.Component])] = ligature.LigGlyph
    # Heads that shake and nod. Their file would also draw ↔ and ↕ in a text.
    return {parts: glyph for parts, glyph in found.items() if not {0x2194, 0x2195} & set(parts)}


def file_of(sequence):
    """Returns the name of the file that contains a joined emoji."""
    parts = set(sequence)
    if KEYCAP in parts:
        return 'keycaps'
    if parts & REGIONS or parts & TAGS:
        return 'flags'
    if parts & TONES:
        return 'hands' if parts - TONES <= HANDS and JOINER not in parts else 'tones'
    return 'people'


def plan(font):
    """Returns the characters and the joined emoji of each file. A browser tries the files in this order."""
    known = set(font.getBestCmap())
    emoji = {code for code in known if code >= 0x203C} - {JOINER, KEYCAP, PRESENTATION} - PLAIN - TAGS
    sequences = sequences_of(font)
    joined = {name: set() for name in ('hands', 'flags', 'people', 'tones', 'keycaps')}
    for sequence in sequences:
        joined[file_of(sequence)].add(sequence)
    parts = {name: {code for sequence in some for code in sequence} for name, some in joined.items()}
    # People hold these things. A browser that shows a person then loads no second file for the thing.
    props = {
        code
        for name in ('people', 'tones')
        for sequence in joined[name]
        for code in sequence[1:]
        if code != JOINER
    } - COMMON - TONES
    people = (parts['people'] | parts['tones']) - TONES
    animals = span(0x1F400, 0x1F43F) | span(0x1F32D, 0x1F37F) | span(0x1F980, 0x1F9AE)
    persons = {code for code in people if code in emoji} - COMMON - HANDS - (animals - props)
    rest = emoji - COMMON - HANDS - FLAGS - persons - TONES - REGIONS
    nature = span(0x1F300, 0x1F37F) | span(0x1F400, 0x1F43F) | span(0x1F950, 0x1F96F) | span(0x1F980, 0x1F9AE)
    nature |= span(0x1F9C0, 0x1F9CC) | span(0x1FAB0, 0x1FADF)
    files = [
        ('common', COMMON & emoji, set()),
        ('nature', rest & nature, set()),
        ('objects', rest - nature, set()),
        ('hands', (HANDS & emoji) | TONES, joined['hands']),
        ('flags', (FLAGS & known) | (parts['flags'] & known), joined['flags']),
        ('people', people | persons, joined['people']),
        ('tones', parts['tones'], joined['tones']),
        ('keycaps', parts['keycaps'], joined['keycaps']),
    ]
    return files, sequences


def stored(png):
    """Returns the picture without compression, because WOFF2 compresses all pictures together better."""
    out, data, at = png[:8], b'', 8

    def chunk(kind, content):
        return struct.pack('>I', len(content)) + kind + content + struct.pack('>I', zlib.crc32(kind + content))

    while at < len(png):
        length, kind = struct.unpack('>I4s', png[at : at + 8])
        content = png[at + 8 : at + 8 + length]
        at += 12 + length
        if kind == b'IDAT':
            data += content
            continue
        if kind == b'IEND':
            out += chunk(b'IDAT', zlib.compress(zlib.decompress(data), 0))
        out += chunk(kind, content)
    return out


def small(picture, ratio):
    """Returns a smaller picture with few colours."""
    image = Image.open(io.BytesIO(picture)).convert('RGBA')
    size = (round(image.width * ratio), round(image.height * ratio))
    # The colour of transparent pixels must not mix into the edge.
    image = image.convert('RGBa').resize(size, Image.LANCZOS).convert('RGBA')
    whole = io.BytesIO()
    image.save(whole, 'PNG')
    command = ['pngquant', '--speed', '1', '--strip', '--nofs', str(COLOURS), '-']
    return stored(subprocess.run(command, input=whole.getvalue(), capture_output=True, check=True).stdout)


def shrink(font):
    """Replaces the pictures of the font by smaller ones, with their measures."""
    sizes = font['CBLC'].strikes[0].bitmapSizeTable
    ratio = PPEM / sizes.ppemY
    sizes.ppemX = sizes.ppemY = PPEM
    for line in (sizes.hori, sizes.vert):
        line.ascender = round(line.ascender * ratio)
        line.descender = round(line.descender * ratio)
        line.widthMax = round(line.widthMax * ratio)
    glyphs = list(font['CBDT'].strikeData[0].values())
    with ThreadPoolExecutor(2) as pool:
        for glyph, picture in zip(glyphs, pool.map(lambda one: small(one.imageData, ratio), glyphs)):
            glyph.imageData = picture
            glyph.metrics.width, glyph.metrics.height = struct.unpack('>II', picture[16:24])
            glyph.metrics.BearingX = round(glyph.metrics.BearingX * ratio)
            glyph.metrics.BearingY = round(glyph.metrics.BearingY * ratio)
            glyph.metrics.Advance = round(glyph.metrics.Advance * ratio)


ADULTS, CHILDREN = characters('👨👩🧑'), characters('👦👧🧒')
# Places of the heads of a family by number of adults and children: left, top, width in 136 × 128 pixels.
PLACES = {
    (2, 1): [(2, 2, 76), (58, 2, 76), (37, 60, 62)],
    (2, 2): [(2, 0, 76), (58, 0, 76), (10, 62, 58), (68, 62, 58)],
    (1, 1): [(4, 4, 86), (64, 52, 70)],
    (1, 2): [(26, 0, 84), (6, 58, 62), (68, 58, 62)],
}
GAP = 7


def draw_families(font):
    """Draws each family with the heads of its members. The source has a grey sign, which looks like a control of a page."""
    glyphs, cmap = font['CBDT'].strikeData[0], font.getBestCmap()
    families = {parts: glyph for parts, glyph in sequences_of(font).items() if parts[0] in ADULTS and parts[-1] in CHILDREN}
    families[tuple(map(ord, '👨👩👦'))] = cmap[0x1F46A]
    for parts, name in families.items():
        members = [code for code in parts if code != JOINER]
        if not set(members) <= ADULTS | CHILDREN:
            continue
        children = [code for code in members if code in CHILDREN]
        picture = Image.new('RGBA', (136, 128))
        for code, (left, top, width) in zip(members, PLACES[len(members) - len(children), len(children)]):
            head = Image.open(io.BytesIO(glyphs[cmap[code]].imageData)).convert('RGBA').convert('RGBa')
            head = head.resize((width, round(width * 128 / 136)), Image.LANCZOS).convert('RGBA')
            layer = Image.new('RGBA', picture.size)
            layer.paste(head, (left, top))
            # An empty line separates a head from the heads behind it.
            around = layer.getchannel('A').filter(ImageFilter.MaxFilter(GAP))
            picture.putalpha(ImageChops.subtract(picture.getchannel('A'), around))
            picture = Image.alpha_composite(picture, layer)
        drawn = io.BytesIO()
        picture.save(drawn, 'PNG')
        # Otherwise the library reads the picture of the file later and replaces this one.
        glyphs[name].ensureDecompiled()
        glyphs[name].imageData = drawn.getvalue()


def keep(font, wanted):
    """Removes all joined emoji from the font except these."""
    names = {}
    for code, name in font.getBestCmap().items():
        names.setdefault(name, code)
    ligatures = font['GSUB'].table.LookupList.Lookup[0].SubTable[0].ligatures
    for first in list(ligatures):
        ligatures[first] = [
            one for one in ligatures[first] if tuple(names[name] for name in [first, *one.Component]) in wanted
        ]
        if not ligatures[first]:
            del ligatures[first]


def write(source, name, codes, joined):
    font = TTFont(source)
    draw_families(font)
    keep(font, joined)
    options = Options()
    options.layout_features = ['*']
    options.name_IDs = ['*']
    options.notdef_outline = True
    options.flavor = 'woff2'
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    shrink(font)
    font.flavor = 'woff2'
    target = FONTS / f'colour-emoji-{name}.woff2'
    font.save(target)
    pictures = len(font['CBDT'].strikeData[0])
    print(f'{target.name}: {pictures} emoji, {target.stat().st_size // 1024} KB')


def ranges(codes):
    runs = []
    for code in sorted(codes):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return ', '.join(f'U+{first:X}' if first == last else f'U+{first:X}-{last:X}' for first, last in runs)


def face(name, codes):
    """
    Devices with complete emoji of their own use those. The first source is for browsers before 2023. Later browsers that
    cannot draw pictures in fonts ignore the file in the second source.
    """
    family = KEYCAPS if name == 'keycaps' else FAMILY
    own = ', '.join(f"local('{one}')" for one in ('Apple Color Emoji', 'AppleColorEmoji', 'Noto Color Emoji', 'NotoColorEmoji'))
    file = f"url('../fonts/colour-emoji-{name}.woff2') format('woff2')"
    return f"""@font-face {{
  font-family: '{family}';
  font-weight: 1 1000;
  font-display: swap;
  src: {own}, {file};
  src: {own}, {file} tech(color-cbdt);
  unicode-range: {ranges(codes)};
}}"""


RULES = '''
lookup gone { sub emoji by none; sub region by none; } gone;
feature ccmp {
  lookup joined { sub joiner emoji' lookup gone; } joined;
  lookup pairs { sub region region' lookup gone; } pairs;
} ccmp;
'''


def write_space(source, codes):
    """
    Writes a font that draws nothing, with the width of each emoji. A page uses it until it has loaded the pictures: other fonts
    would draw an empty box on a device without emoji, and `font-display: block` would hide all text of the same style.
    """
    font = TTFont(source)
    wide = font['hmtx'][font.getBestCmap()[0x1F600]][0]
    build = FontBuilder(font['head'].unitsPerEm, isTTF=True)
    widths = {'.notdef': wide, 'emoji': wide, 'region': wide, 'joiner': 0, 'none': 0}
    build.setupGlyphOrder(list(widths))
    kinds = [('region', REGIONS), ('joiner', {JOINER}), ('none', TONES | TAGS | {KEYCAP, PRESENTATION})]
    build.setupCharacterMap({code: next((name for name, some in kinds if code in some), 'emoji') for code in codes})
    # Browsers refuse a font without any outline. They draw .notdef only if no other font has the sign.
    box = TTGlyphPen(None)
    box.moveTo((0, 0))
    for corner in [(0, 1000), (1000, 1000), (1000, 0)]:
        box.lineTo(corner)
    box.closePath()
    build.setupGlyf({name: box.glyph() if name == '.notdef' else TTGlyphPen(None).glyph() for name in widths})
    build.setupHorizontalMetrics({name: (width, 0) for name, width in widths.items()})
    build.setupHorizontalHeader(ascent=font['hhea'].ascent, descent=font['hhea'].descent)
    build.setupOS2(sTypoAscender=font['hhea'].ascent, sTypoDescender=font['hhea'].descent)
    build.setupPost(keepGlyphNames=False)
    build.font['name'] = font['name']
    addOpenTypeFeaturesFromString(build.font, RULES)
    build.font.flavor = 'woff2'
    target = FONTS / 'colour-emoji-space.woff2'
    build.font.save(target)
    print(f'{target.name}: {target.stat().st_size} bytes')


def space_face(family, codes):
    return f"""@font-face {{
  font-family: '{family}';
  font-weight: 1 1000;
  font-display: block;
  src: url('../fonts/colour-emoji-space.woff2') format('woff2');
  unicode-range: {ranges(codes)};
}}"""


def main(source):
    files, _ = plan(TTFont(source))
    for old in FONTS.glob('colour-emoji-*.woff2'):
        old.unlink()
    for name, codes, joined in files:
        write(source, name, codes, joined)
    pictures = set().union(*(codes for name, codes, _ in files if name != 'keycaps')) | {PRESENTATION}
    keycaps = next(codes for name, codes, _ in files if name == 'keycaps') | {PRESENTATION}
    write_space(source, pictures | keycaps)
    # A browser tries the last face of a family first.
    faces = '\n'.join(
        [face(name, codes) for name, codes, _ in reversed(files)]
        + [space_face(SPACE, pictures), space_face(KEYCAP_SPACE, keycaps)]
    )
    CSS.write_text(
        '/* Written by scripts/web-emoji.py: colour emoji; a browser loads a file when a text contains one of its emoji. */\n'
        f'{faces}\n'
    )


main(sys.argv[1])
