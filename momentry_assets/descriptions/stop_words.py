"""Function words of some languages: they end a key phrase and are never part of one."""

from functools import cache

_TABLE = {
    "de": """aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da
        damit dann das dass dem den denn der des dessen deren die dies diese diesem diesen dieser
        dieses doch dort du durch ein eine einem einen einer eines er es etwas euch für gegen hab
        habe haben hat hatte hatten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja
        jede jedem jeden jeder jedes kann kein keine keinem keinen keiner können man mehr mein mit
        muss müssen nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit
        sich sie sind so soll sollen sondern über um und uns unser unter vom von vor war waren was
        weil wenn wer werden wie wieder will wir wird wo wurde wurden zu zum zur zwischen""",
    "en": """a about above after again all also am an and any are aren't as at be because been
        before being below between both but by can can't cannot could couldn't did didn't do does
        doesn't doing don't down during each either else every few for from further had hadn't has
        hasn't have haven't having he her here hers herself him himself his how however i i'd i'll
        i'm i've if in into is isn't it it's its itself just let let's may me might more most much
        must my myself neither no nor not now of off on once one only onto or other our ours out
        over own per rather same shall she should shouldn't since so some still such than that
        that's the their theirs them themselves then there there's these they they'd they'll
        they're they've this those though through thus to too under until up upon us very via was
        wasn't we we'd we'll we're we've were weren't what what's when where whether which while
        who whom whose why will with within without won't would wouldn't yet you you'd you'll
        you're you've your yours yourself""",
    "es": """a al algo ante antes aquí así aun aunque cada como con contra cual cuando de del desde
        donde dos e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está
        están estas este esto estos fue fueron ha había han hasta hay la las le les lo los más me
        mi mientras muy ni no nos nosotros o otra otras otro otros para pero poco por porque pues
        que qué quien se sea según ser si sí sin sino sobre son su sus también tan te tiene toda
        todas todo todos tu tus u un una unas uno unos y ya yo""",
    "fr": """à afin ai aie ainsi alors après au aucun aussi autre autres aux avant avec avoir c'est
        car ce cela celle celui ces cet cette ceux chaque chez comme comment d'un d'une dans de
        depuis des deux donc dont du elle elles en encore entre est et été étaient était être eu
        eux fait il ils je jusque la le les leur leurs lors lui ma mais me même mes moi moins mon
        n'est ne ni nos notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi
        près puis qu'elle qu'il qu'un qu'une quand que quel quelle quelles quels qui quoi sa sans
        se selon sera ses si son sont sous sur ta te tes ton tous tout toute toutes très tu un une
        vers vos votre vous y""",
    "it": """a abbiamo ad agli ai al alla alle allo anche ancora avere c'è che chi ci come con
        contro cosa così cui da dagli dai dal dalla dalle dallo degli dei del dell della delle
        dello di dopo dove e è ed era erano essere fra gli ha hanno ho i il in io la le lei li lo
        loro lui ma me mentre mi mia mio molto ne negli nei nel nella nelle nello no noi non nostro
        o ogni per perché però più poi prima qual quale quando quella quelle quelli quello questa
        queste questi questo se sei senza si sia siamo sono sopra sotto su sua sue sugli sui sul
        sulla sulle sullo suo tra tu tutte tutti tutto un un'altra una uno vi voi""",
    "nl": """aan al alle als altijd andere ben bij daar dan dat de deze die dit doch doen door dus
        een en er ge geen had heb hebben heeft hem het hier hij hoe hun iets ik in is ja je kan
        kunnen maar me meer men met mijn moet na naar niet niets nog nu of om omdat onder ons ook
        op over reeds te tegen toch toen tot uit uw van veel voor want waren was wat we wel werd
        wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou""",
    "pt": """a à ao aos as às até cada com como da das de dela dele deles depois do dos e é ela elas
        ele eles em entre era essa essas esse esses esta está estas este estes eu foi foram há isso
        isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos nós nossa nosso num
        numa o os ou para pela pelas pelo pelos por porque quando que quem são se seja sem ser seu
        seus só sob sobre sua suas também te tem têm tu um uma você vocês""",
    "ru": """а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да
        для до его ее её если есть еще ещё же за здесь и из или им их к как ко когда кто ли либо
        мне может мы на над надо наш не него нее неё нет ни них но ну о об однако он она они оно от
        очень по под после при про с со так также такой там те тем то того тоже той только том ты у
        уже хотя чего чей чем что чтобы чье эта эти это этого этой этом этот я""",
}
_ALL = frozenset(word for words in _TABLE.values() for word in words.split())


@cache
def _of(language: str) -> frozenset[str]:
    return frozenset(_TABLE[language].split()) if language in _TABLE else _ALL


def is_stop_word(word: str, language: str) -> bool:
    """Whether a word is a function word of a language, or of any when the language is not known.

    Args:
        language: ISO 639-1 code.
    """
    return word.casefold().replace("’", "'") in _of(language)
