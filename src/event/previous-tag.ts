/** A tag and the commit it stands for. */
interface TagOfCommit {
  readonly name: string;
  readonly sha: string;
}

/** What the last tag before another is looked for in. */
interface TagHistory {
  /** Name of the tag that is new. */
  readonly tag: string;
  readonly tags: readonly TagOfCommit[];
  /** Shas of the commits up to the new tag, newest first; the first is its own. */
  readonly commits: readonly string[];
}

/**
 * The tag before a new one: the nearest on the way back that belongs to the same series (`v`, `cli-v`). Before a release
 * that is a release too, since its notes tell what its release candidates brought as well. Undefined for the first.
 */
export function previousTag({ tag, tags, commits }: TagHistory): string | undefined {
  const [own, ...earlier] = commits;
  const candidates = tags.filter(({ name, sha }) => name !== tag && sha !== own && isSameSeries(name, tag));
  for (const sha of earlier) {
    const found = candidates.find((one) => one.sha === sha);
    if (found !== undefined) return found.name;
  }
  return undefined;
}

function isSameSeries(name: string, tag: string): boolean {
  if (prefixOf(name) !== prefixOf(tag)) return false;
  return isPrerelease(tag) || !isPrerelease(name);
}

/** What is before the version. */
function prefixOf(tag: string): string {
  return tag.replace(/\d.*$/s, '');
}

/** `v1.2.0-rc.1` (Semantic Versioning 2.0.0, 9). */
function isPrerelease(tag: string): boolean {
  return /\d-[0-9A-Za-z]/.test(tag.slice(prefixOf(tag).length));
}
