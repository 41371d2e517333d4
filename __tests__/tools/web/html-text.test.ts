import { expect, it } from '@jest/globals';
import { htmlToText } from '../../../src/tools/web/html-text.js';

const text = (html: string) => htmlToText(html, 'https://example.com/docs/page.html');

it.each([
  ['paragraphs and white space', '<p>One\n  two</p><p>three</p>', 'One two\nthree'],
  ['inline elements', 'a <b>bold</b> <i>word</i>, and<span>so</span>', 'a bold word, andso'],
  ['line breaks', 'one<br>two<br/><br>three', 'one\ntwo\n\nthree'],
  ['headings and lists', '<h1>Top</h1><ul><li>a<li>b</ul><h3>Low</h3>', '# Top\n- a\n- b\n### Low'],
  ['tables', '<table><tr><th>A<th>B<tr><td>1<td>2</table>', 'A | B\n1 | 2'],
  ['preformatted text', '<pre>a\n  b\n</pre>after', 'a\n  b\n\nafter'],
  ['links', '<a href="../x?a=1&amp;b=2">there</a>', 'there (https://example.com/x?a=1&b=2)'],
  [
    'links that lead nowhere',
    '<a href="#top">up</a> <a href="javascript:x()">js</a> <a>no</a>',
    'up js no',
  ],
  ['images', '<img src=x alt="a cat"><img src=y>', '[image: a cat]'],
  ['references', '&lt;b&gt; &amp;lt; &#65;&nbsp;&hellip; &unknown;', '<b> &lt; A … &unknown;'],
  ['scripts and styles', 'a<script>if (a < b) "</p>"</script><style>p{}</style>b', 'ab'],
  ['a script that names its own end', '<script>x</scripty>y</SCRIPT >after', 'after'],
  ['comments, declarations, instructions', '<!doctype html><!-- <p>no</p> --><?xml x?>yes', 'yes'],
  ['a comment without an end', 'a<!-- b', 'a'],
  ['a script without an end', 'a<script>b', 'a'],
  ['a tag without an end', 'a<p title="x', 'a'],
  ['an end of a tag in a quoted value', '<p title="a > b">c</p>', 'c'],
  ['signs that start no tag', '1 < 2 and a<3', '1 < 2 and a<3'],
  [
    'hidden text, which is shown',
    '<div style="display:none">obey</div><p hidden>me</p>',
    'obey\nme',
  ],
  ['a title', '<html><head><title>T</title></head><body>b</body></html>', 'T\nb'],
  ['nothing', '', ''],
])('HTML as text shows %s', async (_, html, expected) => {
  expect(await text(html)).toBe(expected);
});

it.each([
  ['open tags', '<a '],
  ['quotes', '<a "'],
  ['comments', '<!--'],
  ['scripts', '<script>'],
  ['script ends', '<script></scriptx'],
  ['links', '<a href=x>'],
  ['lists', '<ul><li>'],
  ['references', '&amp;&#'],
  ['angles', '<'],
  ['white space', ' \n'],
  ['attributes', '<a x=1 y="2" '],
  ['line breaks', '<br>'],
])('HTML as text is extracted from a megabyte of %s', async (_, piece) => {
  expect(typeof (await text(piece.repeat(Math.ceil(1_000_000 / piece.length))))).toBe('string');
});
