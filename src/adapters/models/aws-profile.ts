import type { AwsCredentials } from './aws-sts.js';

/**
 * Keys of a profile in AWS's shared credentials file, as axe reads it; undefined where the profile has none (an SSO
 * login, for one).
 */
export function findProfile(text: string, profile: string): AwsCredentials | undefined {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) section = header;
    const [, key, value] = /^\s*([^#;=\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === profile && key !== undefined && value !== undefined) values.set(key.toLowerCase(), value);
  }
  const accessKeyId = values.get('aws_access_key_id');
  const secretAccessKey = values.get('aws_secret_access_key');
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: values.get('aws_session_token') };
}
