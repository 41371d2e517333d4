// Lets a script import TypeScript of this repository as it is: the same compiler as in the tests,
// and `.js` in an import means the `.ts` file where there is one.
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

registerHooks({
  resolve(specifier, context, next) {
    if (!/^\.{1,2}\/.*\.js$/.test(specifier) || context.parentURL === undefined)
      return next(specifier, context);
    const source = new URL(`${specifier.slice(0, -'.js'.length)}.ts`, context.parentURL);
    return existsSync(source) ? { url: source.href, shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
      filename: fileURLToPath(url),
      swcrc: false,
      configFile: false,
      module: { type: 'es6' },
      jsc: {
        target: 'es2023',
        parser: { syntax: 'typescript' },
        experimental: { keepImportAttributes: true },
      },
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
