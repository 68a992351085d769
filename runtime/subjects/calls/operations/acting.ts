/** What every file of this folder is given: the role, the open runtime, and what the operation concerns. */
import type { Runtime } from '../../../calls/api/runtime.js';
import type { SettingsFrom } from '../../../calls/recovery/options.js';
import type { RoleContext } from '../../kit/role.js';
import type { Named } from './named.js';

export interface Acting {
  context: RoleContext;
  runtime: Runtime;
  named: Named;
  /** Whose settings a request is built from. */
  settings: SettingsFrom;
}
