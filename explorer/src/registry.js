// In place of the form library's registry, whose fields and widgets (dates, files, ratings …) no form of ours reaches.

import CyclicSchemaField from "@rjsf/core/lib/components/fields/CyclicSchemaField.js";
import SchemaField from "@rjsf/core/lib/components/fields/SchemaField.js";

/** The parts that `form.jsx` does not bring. No text of the library is shown. */
export default () => ({
  fields: { CyclicSchemaField, SchemaField },
  templates: { ButtonTemplates: { SubmitButton: () => null } }, // the page has buttons of its own below the form
  widgets: {},
  formContext: {},
  translateString: () => "",
});
