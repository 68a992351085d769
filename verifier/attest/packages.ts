/** The packages of the signed forms. Only who gives a key needs them, so they are loaded only then, and may be absent otherwise. */
import type * as SigstoreBundle from '@sigstore/bundle';
import type * as SigstoreCore from '@sigstore/core';
import { InputError } from '../errors.js';

export interface Packages {
  readonly bundle: typeof SigstoreBundle;
  readonly core: typeof SigstoreCore;
}

export async function loadPackages(): Promise<Packages> {
  try {
    const [bundle, core] = await Promise.all([import('@sigstore/bundle'), import('@sigstore/core')]);
    return { bundle, core };
  } catch (cause) {
    throw new InputError(
      'packages-missing',
      'Signatures need the packages @sigstore/bundle and @sigstore/core, which are not installed here.',
      { cause },
    );
  }
}
