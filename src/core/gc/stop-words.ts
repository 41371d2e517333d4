/**
 * Words that say nothing of what an agent did, in the languages that logs are most often written in. Only those that
 * would otherwise be counted: three letters or more, two in Chinese and Japanese.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    // English, with the words that every entry of a log has.
    'about above after again all also and any are because been before being below between both but can cannot could',
    'did does doing down during each few for from further had has have having her here hers him his how into its just',
    'may more most must new not now off once one only other our out over own same she should some still such than that',
    'the their them then there these they this those through too two under until very was were what when where which',
    'while who whom why will with within without would yes yet you your none task result run',
    // German.
    'aber alle als auch auf aus bei bis bin das dass dem den denn der des die dies diese dieser dieses doch durch ein eine',
    'einem einen einer eines für hat hatte haben hier ich ihr ihre ihren ist kann kein keine keinen können mehr mit muss',
    'nach nicht noch nur oder ohne sehr sein seine sich sie sind über und uns unter vom von vor war waren was wenn werden',
    'wie wird wir wurde wurden zum zur zwei zwischen',
    // French.
    'après aussi autre avait avant avec aux ces cet cette comme dans des deux donc elle elles entre est été être fait ils',
    'leur leurs les mais même moins nos notre nous par pas peut plus pour que quel quelle qui sans ses son sont sous sur',
    'tous tout toute toutes très une vos votre vous',
    // Spanish and Portuguese.
    'algo ante como con contra cual cuando del desde donde dos ella ellos entre era esa ese eso esta este esto están está',
    'fue han hasta hay las les los más mas menos mientras muy nos otra otro para pero por porque que quien ser sin sobre son',
    'sus también tiene todo todos una uno unos aos até com das dos ela eles essa esse foi isso isto mais mas nas não nem nos',
    'num numa pela pelo quando sem ser seu sua também tem uma você',
    // Italian and Dutch.
    'alla alle anche che chi con cui dal dalla degli dei del della delle dello gli hanno nei nel nella non per più quale',
    'questa questo sono sua suo sul sulla una uno aan als bij dan dat deze die dit door een geen had heb het hij hoe hun kan',
    'maar meer met naar niet nog ook onder over tot uit van veel voor was wat wel werd wij worden wordt zijn zou',
    // Russian.
    'без был была были было быть вам вас все всё для его ему если есть еще ещё или как когда кто может мне мы над нас нет них',
    'она они оно при про так там тем тех только тот уже что чтобы эта эти это этот',
    // Chinese and Japanese.
    '一个 一些 不是 什么 他们 以及 但是 你们 因为 如果 我们 所以 或者 是否 没有 这个 这些 进行 那个 可以 已经 について から ます です した する して いる こと ある ない これ それ ため もの よう さん',
  ].flatMap((line) => line.split(' ')),
);
