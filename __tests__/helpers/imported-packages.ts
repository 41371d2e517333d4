import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '../../src');

/**
 * The packages that the code of the product imports, statically or by `import()`: what ends up in
 * `dist/`.
 */
export function importedPackages(): ReadonlySet<string> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const sources = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(SOURCES, file), 'utf8'));
  const imports = sources.flatMap((source) => [
    ...source.matchAll(/(?:from |import\()'(?!node:)((?:@[^/']+\/)?[^./'][^/']*)/g),
  ]);
  return new Set(imports.map(([, name = '']) => name));
}
