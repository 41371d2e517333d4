import { cleanDestination } from './link.js';
import { addText, matchAt, type PieceReading } from './pieces.js';

const CODE_ELEMENT = /<code>([@#\w ./:?=%+-]+)<\/code>/iy;
const TAG = /<(\/?)(b|br|code|del|em|i|ins|kbd|s|strong|sub|sup)[ \t]{0,4}\/?>/iy;
const DROPPED_TAG = /<\/?(?:picture|source)(?:\s[^<>]{0,4000})?>/iy;
const IMAGE_TAG = /<img\s([^<>]{0,4000})>/iy;
const AUTOLINK = /<(https?:\/\/[^\s<>`\\\]&]{1,2000})>/iy;

/**
 * Reads what begins with `<`: a comment goes, a harmless tag stays without its attributes, an image becomes a link, and
 * everything else is shown as text. Returns where the rest of the line begins.
 */
export function readAngle(reading: PieceReading, at: number): number {
  const { line, pieces } = reading;
  if (line.startsWith('<!--', at)) return readComment(reading, at);
  const code = matchAt(CODE_ELEMENT, line, at);
  if (code !== null) {
    pieces.push({ kind: 'markup', text: `<code>${code[1]}</code>` });
    return at + code[0].length;
  }
  const tag = matchAt(TAG, line, at);
  if (tag !== null) {
    const name = (tag[2] ?? '').toLowerCase();
    if (name === 'br') pieces.push({ kind: 'markup', text: '<br>' });
    else pieces.push({ kind: 'tag', name, isClosing: tag[1] === '/' });
    return at + tag[0].length;
  }
  return readPicture(reading, at);
}

function readPicture(reading: PieceReading, at: number): number {
  const { line, pieces } = reading;
  const image = matchAt(IMAGE_TAG, line, at);
  if (image !== null) {
    addImage(reading, image[1] ?? '');
    return at + image[0].length;
  }
  const dropped = matchAt(DROPPED_TAG, line, at);
  if (dropped !== null) {
    addText(reading, ' ');
    return at + dropped[0].length;
  }
  const link = matchAt(AUTOLINK, line, at);
  if (link !== null) {
    addText(reading, link[1] ?? '');
    return at + link[0].length;
  }
  pieces.push({ kind: 'markup', text: '&lt;' });
  return at + 1;
}

/** A space takes a comment's place, or the texts around it could make up something new. */
function readComment(reading: PieceReading, at: number): number {
  const end = reading.line.indexOf('-->', at + 2);
  reading.hadComment = true;
  addText(reading, ' ');
  if (end >= 0) return end + 3;
  reading.endsInComment = true;
  return reading.line.length;
}

/** An image is a link one may follow. */
function addImage(reading: PieceReading, attributes: string): void {
  const [, alt = ''] = /(?:^|\s)alt\s{0,8}=\s{0,8}["']([^"']*)["']/i.exec(attributes) ?? [];
  const [, source = ''] = /(?:^|\s)src\s{0,8}=\s{0,8}["']?(https?:\/\/[^\s"'()[\]]*)/i.exec(attributes) ?? [];
  const name = `image${alt === '' ? '' : `: ${alt.replace(/[^\p{L}\p{N} .,-]+/gu, ' ')}`}`;
  const destination = cleanDestination(source);
  addText(reading, destination === undefined ? `(${name})` : `[${name}`);
  if (destination !== undefined) reading.pieces.push({ kind: 'link-end', destination });
}
