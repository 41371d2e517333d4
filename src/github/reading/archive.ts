import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { signalAfter, withinBoth } from '../../lib/clock.js';
import { ARCHIVE_LIMITS } from '../../lib/defaults.js';
import { errorCode } from '../../lib/files.js';
import { readTar } from '../../lib/tar.js';
import { isBinary } from '../../lib/text/bytes.js';
import { repositoryParams } from '../client/ask.js';
import { GitHubError } from '../client/errors.js';
import { blobSha, type RefPlace } from './contents.js';

/**
 * Contents of a commit's files by blob id, from its archive: two requests for all of them.
 * Undefined is a binary file. An archive leaves out and changes files as `.gitattributes` says,
 * which a pull request can write. So a content counts only if its id is `isWanted`, which callers
 * take from the commit's tree, and what is missing has to be read in another way. That holds for an
 * archive that is refused, cut or over the limits, too: then fewer contents come, without an error.
 */
export async function fetchArchive(
  { client, repository, ref }: RefPlace,
  isWanted: (sha: string) => boolean,
  signal: AbortSignal,
  { fileBytes, packedBytes, unpackedBytes, textBytes, timeMs }: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<ReadonlyMap<string, Uint8Array | undefined>> {
  const contents = new Map<string, Uint8Array | undefined>();
  let freeBytes = textBytes;

  async function keepFiles(unpacked: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const bytes of readTar(upTo(unpackedBytes, unpacked), fileBytes)) {
      const sha = blobSha(bytes);
      if (!isWanted(sha) || contents.has(sha)) continue;
      const text = isBinary(bytes) ? undefined : bytes;
      freeBytes -= text?.length ?? 0;
      if (freeBytes < 0) return;
      contents.set(sha, text);
    }
  }

  try {
    const params = { ...repositoryParams(repository), ref };
    const limited = withinBoth(signal, signalAfter(timeMs));
    const packed = await client.download('GET /repos/{owner}/{repo}/tarball/{ref}', {
      params,
      signal: limited,
    });
    await pipeline(upTo(packedBytes, packed), createGunzip(), keepFiles);
  } catch (thrown) {
    signal.throwIfAborted();
    const isExpected =
      thrown instanceof GitHubError || isTimeOver(thrown) || errorCode(thrown) !== undefined;
    if (!isExpected) throw thrown;
  }
  return contents;
}

type ArchiveLimits = Readonly<Record<keyof typeof ARCHIVE_LIMITS, number>>;

/** The beginning of a stream. */
async function* upTo(
  maxBytes: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let freeBytes = maxBytes;
  for await (const chunk of chunks) {
    freeBytes -= chunk.length;
    if (freeBytes < 0) return;
    yield chunk;
  }
}

function isTimeOver(thrown: unknown): boolean {
  return (
    thrown instanceof Error && (thrown.name === 'TimeoutError' || thrown.name === 'AbortError')
  );
}
