import { gzipSync } from 'node:zlib';
import { type GitCommit, type GitStore, listTree } from './github-git.js';

const BLOCK_BYTES = 512;

interface TarEntry {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** `0` a file, `2` a link, `5` a folder, `g` and `x` headers of pax. */
  readonly type?: string;
}

/** A tar archive in the form that `git archive` writes. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, bytes, type = '0' }) => {
    const padding = Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES);
    return [headerOf(path, bytes.length, type), bytes, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function headerOf(path: string, size: number, type: string): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(path.slice(0, 100), 0);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(`${'0'.repeat(11)}\0`, 136);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  header.write('        ', 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/**
 * GitHub's archive of a commit. As in git, the commit's own `.gitattributes` at the root leaves out
 * the folders that it marks `NAME/** export-ignore`, and changes the files that it marks `NAME
 * export-subst`.
 */
export function archiveOf(git: GitStore, commit: GitCommit): Buffer {
  const files = listTree(git, commit.tree).filter(({ kind }) => kind === 'blob');
  const attributes = files.find(({ path }) => path === '.gitattributes')?.bytes.toString() ?? '';
  const rules = attributes.split('\n').map((line) => line.split(' '));
  const marked = (path: string, attribute: string) =>
    rules.some(
      ([pattern = '', name]) =>
        name === attribute && (pattern === path || path.startsWith(pattern.replace(/\*\*$/, '/'))),
    );
  const kept = files.filter(({ path }) => !marked(path.replace(/\/.*/, '/'), 'export-ignore'));
  const entries = kept.map(({ path, bytes, mode }): TarEntry => {
    const content = marked(path, 'export-subst')
      ? Buffer.from(bytes.toString().replaceAll('$Format:%H$', commit.sha))
      : bytes;
    const isLink = mode === '120000';
    return {
      path: `top/${path}`,
      bytes: isLink ? Buffer.alloc(0) : content,
      type: isLink ? '2' : '0',
    };
  });
  const header = { path: 'pax_global_header', type: 'g' };
  const comment = Buffer.from(`52 comment=${commit.sha}\n`);
  return gzipSync(
    tarOf([
      { ...header, bytes: comment },
      { path: 'top/', type: '5', bytes: Buffer.alloc(0) },
      ...entries,
    ]),
  );
}
