import type { ArtifactFolder } from '../workspace/artifact-folders.js';

const ARTIFACT = {
  artifact: {
    type: 'boolean',
    description: 'True for the folder of artifacts in place of the working directory.',
  },
} as const;

/** The argument by which a file tool works in the folder of artifacts; none where the agent has no such folder. */
export function artifactArgument(artifacts: ArtifactFolder | undefined): typeof ARTIFACT {
  // The door: an argument that a tool does not have is undefined in its input.
  return artifacts === undefined ? ({} as typeof ARTIFACT) : ARTIFACT;
}
