import type { CacheRestore } from '../../memory-stores/cache/cache-client.js';
import { plainLine } from './cache-outcome.js';

/** Stands between the download of an entry and its unpacking. */
export interface UnpackGate {
  /** Takes what the library prints as it prints it. Throws where it must not go on. */
  see(text: string): void;
  /** What became of the restore, seen from here. */
  judge(outcome: CacheRestore): CacheRestore;
}

/** What a gate works with. */
export interface UnpackGateOptions {
  /** Why an archive must not be unpacked; undefined if nothing speaks against it. */
  readonly refuse: (archive: string) => string | undefined;
  /** Most that is downloaded, in bytes. */
  readonly maxBytes: number;
}

/**
 * `@actions/cache` unpacks with `tar -P`, which writes wherever an archive says. It prints where the archive is before
 * it downloads it and how large it is before it unpacks it (`lib/cache.js`, `lib/internal/downloadUtils.js` of 6.3.0),
 * and an error thrown from there ends the restore.
 */
export function createUnpackGate({ refuse, maxBytes }: UnpackGateOptions): UnpackGate {
  let key = '';
  let archive: string | undefined;
  let refusal: string | undefined;
  let hasPassed = false;
  return {
    see(text) {
      const line = plainLine(text.trimEnd());
      key = /^Cache hit for(?: restore-key)?: (.+)$/.exec(line)?.[1] ?? key;
      archive = /^Archive path: (.+)$/i.exec(line)?.[1] ?? archive;
      const announced = /^Downloading segment at offset 0 with length (\d+)/.exec(line)?.[1];
      if (Number(announced ?? 0) > maxBytes)
        stop(`it has ${announced} bytes, and at most ${maxBytes} are downloaded`);
      if (!line.startsWith('Cache Size: ')) return;
      const reason = archive === undefined ? 'nobody said where it is' : refuse(archive);
      if (reason !== undefined) stop(reason);
      hasPassed = true;
    },
    judge(outcome) {
      if (refusal !== undefined) {
        const name = key === '' ? 'an entry' : `the entry \`${key}\``;
        return { kind: 'refused', message: `${name} was not unpacked: ${refusal}` };
      }
      if (outcome.kind !== 'hit' || hasPassed) return outcome;
      return { kind: 'error', message: `\`${outcome.key}\` was unpacked before anybody could look into it` };
    },
  };

  function stop(reason: string): never {
    refusal = reason;
    throw new Error(reason);
  }
}
