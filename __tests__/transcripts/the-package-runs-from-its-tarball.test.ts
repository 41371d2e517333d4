import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { VERSION } from '../../src/lib/product.js';
import { startChild } from '../helpers/child.js';
import { tempDir } from '../helpers/temp.js';

const ROOT = join(import.meta.dirname, '../..');

it('the package contains what users need, and runs if nothing else is installed and no registry is reached', async () => {
  const folder = tempDir('package');
  const packed = await npm(
    ROOT,
    'pack',
    '--json',
    '--ignore-scripts',
    `--pack-destination=${folder}`,
  );
  const [{ filename, files, unpackedSize }] = JSON.parse(packed) as [
    { filename: string; files: { path: string }[]; unpackedSize: number },
  ];
  expect(filename).toBe(`axe-action-${VERSION}.tgz`);
  const outside = files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'));
  expect(outside.sort()).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'action.yml', 'package.json']),
  );
  expect(
    outside.filter((path) => /^(?:src|__tests__|eval|scripts|bench|docs|\.)/.test(path)),
  ).toEqual([]);
  expect(unpackedSize).toBeLessThan(12_000_000);

  await npm(folder, 'install', '--offline', '--no-audit', '--no-fund', join(folder, filename));
  const installed = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: object;
  };
  expect(Object.keys(installed.packages)).toEqual(['', 'node_modules/axe-action']);

  const bin = join(folder, 'node_modules/.bin/axe-action');
  expect(await run(bin, 'version')).toBe(`axe-action version ${VERSION}\n`);
  const ask = ['run', 'builtin/ask', '--model=offline/rules', '--prompt=Why?'];
  expect(await run(bin, ...ask)).toContain('offline/rules');

  async function run(program: string, ...args: readonly string[]): Promise<string> {
    const result = await startChild({
      command: program,
      args,
      cwd: tempDir('cwd'),
      env: environment(),
    }).finished;
    expect(result.exitCode).toBe(0);
    return result.stdout;
  }
});

it('the package needs nothing at run time: all of it is in dist/', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const { dependencies, optionalDependencies, private: isPrivate } = manifest;
  expect([dependencies, optionalDependencies, isPrivate]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

/** The Node that runs the tests comes first: the bin is started by its first line. */
function environment(): Record<string, string> {
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  return { PATH: path, HOME: tempDir('home') };
}

async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  const script = process.env['npm_execpath'];
  const [command, first] = script === undefined ? ['npm', []] : [process.execPath, [script]];
  const env = { ...environment(), NPM_CONFIG_UPDATE_NOTIFIER: 'false' };
  const { exitCode, stdout, stderr } = await startChild({
    command,
    args: [...first, ...args],
    cwd,
    env,
  }).finished;
  if (exitCode !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
  return stdout;
}
