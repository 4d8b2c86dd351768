// The request as a form: react-jsonschema-form with fields that send exactly what was typed.

import Form from "@rjsf/core/lib/components/Form.js";
import ArrayField from "@rjsf/core/lib/components/fields/ArrayField.js";
import LibraryChoice from "@rjsf/core/lib/components/fields/MultiSchemaField.js";
import ObjectField from "@rjsf/core/lib/components/fields/ObjectField.js";
import { ADDITIONAL_PROPERTY_FLAG, isFormDataAvailable, optionalControlsId } from "@rjsf/utils";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { Component } from "preact";
import { formSchema } from "./form-schema.js";
import { isObject } from "./schema.js";
import { formValidator } from "./validation.js";
import { visible } from "./visible.js";

const MOST_IN_LIST = 200; // values of an enum in a list; more are searched

const describedBy = (props) => `${props.fieldPathId.$id}__description`;
const plainName = (props) => visible(props.name ?? props.schema.title ?? "value");

function TextField(props) {
  const { formData, onChange, fieldPathId, required, schema } = props;
  if (schema.enum) return <ChoiceField {...props} />;
  const change = (event) => {
    const text = event.currentTarget.value;
    onChange(text === "" && !required ? undefined : text, fieldPathId.path);
  };
  // a new property may hold an object before its kind is chosen
  const text = typeof formData === "object" ? "" : String(formData ?? "");
  return (
    <textarea id={fieldPathId.$id} data-kind="string" rows={Math.min(12, text.split("\n").length)} aria-required={required}
      aria-describedby={describedBy(props)} value={text} onInput={change} spellcheck={false} />
  );
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function NumberField(props) {
  const { formData, onChange, fieldPathId, required, schema } = props;
  const [typed, setTyped] = useState(undefined);
  if (schema.enum) return <ChoiceField {...props} />;
  const read = (text) => (text.trim() === "" ? undefined : NUMBER.test(text.trim()) ? Number(text) : text);
  const shown = typed !== undefined && Object.is(read(typed), formData) ? typed : formData === undefined ? "" : String(formData);
  const change = (event) => {
    setTyped(event.currentTarget.value);
    // what is no number is sent as it is: the fault is shown, and nothing typed is lost
    onChange(read(event.currentTarget.value), fieldPathId.path);
  };
  return (
    <input id={fieldPathId.$id} data-kind="number" type="text" inputMode="decimal" autoComplete="off" aria-required={required}
      aria-describedby={describedBy(props)} value={shown} onInput={change} />
  );
}

function BooleanField(props) {
  return <ChoiceField {...props} schema={{ ...props.schema, enum: props.schema.enum ?? [true, false] }} />;
}

const labelOf = (value) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return visible(text === "" ? '""' : text.length > 120 ? `${text.slice(0, 120)}…` : text);
};

function ChoiceField(props) {
  const { formData, onChange, fieldPathId, required, schema } = props;
  const values = schema.enum;
  const chosen = useMemo(() => {
    const text = JSON.stringify(formData);
    return formData === undefined ? -1 : values.findIndex((value) => value === formData || JSON.stringify(value) === text);
  }, [values, formData]);
  const common = { id: fieldPathId.$id, "aria-required": required, "aria-describedby": describedBy(props) };
  if (values.length > MOST_IN_LIST) return <SearchedChoice {...{ common, values, chosen }} choose={(value) => onChange(value, fieldPathId.path)} />;
  const change = (event) => onChange(event.currentTarget.value === "" ? undefined : values[Number(event.currentTarget.value)], fieldPathId.path);
  return (
    <select {...common} data-kind="choice" value={chosen < 0 ? "" : String(chosen)} onChange={change}>
      <option value="">{required ? "choose…" : "left out"}</option>
      {values.map((value, index) => <option key={index} value={String(index)}>{labelOf(value)}</option>)}
    </select>
  );
}

/** A choice among so many values that they are searched: what is typed must be one of them. */
function SearchedChoice({ common, values, chosen, choose }) {
  const labels = useMemo(() => values.map(labelOf), [values]);
  const [typed, setTyped] = useState(undefined);
  const text = typed ?? (chosen < 0 ? "" : labels[chosen]);
  const near = useMemo(() => {
    const found = [];
    for (const label of labels) {
      if (found.length < 50 && label.includes(text)) found.push(label);
    }
    return found;
  }, [labels, text]);
  const change = (event) => {
    const now = event.currentTarget.value;
    setTyped(now);
    const index = labels.indexOf(now);
    choose(now === "" ? undefined : index < 0 ? now : values[index]);
  };
  return (
    <>
      <input {...common} data-kind="searched" type="text" autoComplete="off" list={`${common.id}__list`} value={text} onInput={change} />
      <datalist id={`${common.id}__list`}>{near.map((label) => <option key={label} value={label} />)}</datalist>
      <p class="note">{values.length.toLocaleString("en")} values: type a part of one.</p>
    </>
  );
}

/** A value as JSON, where a schema allows what no form can show. */
function JsonField(props) {
  const { formData, onChange, fieldPathId, required } = props;
  if (props.schema.enum) return <ChoiceField {...props} />;
  const [typed, setTyped] = useState(undefined);
  const [fault, setFault] = useState("");
  const change = (event) => {
    const text = event.currentTarget.value;
    setTyped(text);
    setFault("");
    if (text.trim() === "") return onChange(undefined, fieldPathId.path);
    try {
      onChange(JSON.parse(text), fieldPathId.path);
    } catch (error) {
      setFault(`This is not JSON: ${error.message}`);
    }
  };
  const shown = typed ?? (formData === undefined ? "" : JSON.stringify(formData, null, 2));
  return (
    <div>
      <label class="note" for={fieldPathId.$id}>As JSON, since no form can show this schema{plainName(props) && <span class="hidden">: {plainName(props)}</span>}</label>
      <textarea id={fieldPathId.$id} data-kind="json" rows={Math.min(12, shown.split("\n").length + 1)} aria-required={required} value={shown} onInput={change}
        spellcheck={false} aria-describedby={describedBy(props)} aria-invalid={fault !== ""} />
      {fault && <p class="fault" role="alert">{fault}</p>}
    </div>
  );
}

const Name = ({ name, required }) => <>{visible(name ?? "")}{required && <span class="badge">required</span>}</>;

function FieldTemplate({ id, label, required, children, description, schema, displayLabel, onRemoveProperty, onKeyRename }) {
  const isAdditional = ADDITIONAL_PROPERTY_FLAG in schema;
  const name = visible(label ?? "");
  return (
    <div class="field" data-field={id}>
      {isAdditional ? (
        <div class="row">
          <label for={`${id}-key`}>Name</label>
          <input id={`${id}-key`} type="text" defaultValue={label} onBlur={(event) => onKeyRename(event.currentTarget.value)} />
          <button type="button" onClick={onRemoveProperty}>Remove<span class="hidden"> {name}</span></button>
        </div>
      ) : null}
      {displayLabel !== false && !isAdditional && name && (schema["x-json"] === true
        ? <p class="label"><Name name={label} required={required} /></p>
        : <label for={id}><Name name={label} required={required} /></label>)}
      {isAdditional && <label class="hidden" for={id}>Value of {name}</label>}
      {schema.type !== "object" && schema.type !== "array" && <div id={`${id}__description`}>{description}</div>}
      {children}
    </div>
  );
}

const DescriptionFieldTemplate = ({ description }) => (typeof description === "string" && description !== "" ? <p class="text">{visible(description)}</p> : null);

function ObjectFieldTemplate({ title, properties, fieldPathId, schema, onAddProperty, required, optionalDataControl }) {
  const isRoot = fieldPathId.path.length === 0;
  const content = (
    <>
      {properties.map((each) => each.content)}
      {isObject(schema.additionalProperties) && <button type="button" data-add={fieldPathId.$id} onClick={onAddProperty}>Add a property{!isRoot && <span class="hidden"> to {visible(title ?? "")}</span>}</button>}
      {optionalDataControl}
    </>
  );
  if (isRoot) return <div>{content}</div>;
  return (
    <fieldset id={fieldPathId.$id} data-kind="object">
      <legend><Name name={title} required={required} /></legend>
      <DescriptionFieldTemplate description={schema.description} />
      {content}
    </fieldset>
  );
}

function ArrayFieldTemplate({ title, items, canAdd, onAddClick, fieldPathId, schema, required, optionalDataControl }) {
  return (
    <fieldset id={fieldPathId.$id} data-kind="array" data-count={items.length}>
      <legend><Name name={title} required={required} /></legend>
      <DescriptionFieldTemplate description={schema.description} />
      {items}
      {canAdd && <button type="button" data-add={fieldPathId.$id} onClick={onAddClick}>Add an item<span class="hidden"> to {visible(title ?? "")}</span></button>}
      {optionalDataControl}
    </fieldset>
  );
}

const ArrayFieldItemTemplate = ({ children, buttonsProps, index }) => (
  <div class="item">
    <div class="grow">{children}</div>
    <button type="button" onClick={buttonsProps.onRemoveItem}>Remove<span class="hidden"> item {index + 1}</span></button>
  </div>
);

/** The buttons by which an optional object or list is included and left out. The library's include no object whose properties are all objects. */
function OptionalDataControlsField({ schema, formData, onChange, fieldPathId, registry: { schemaUtils } }) {
  const name = visible(schema.title ?? "it");
  if (isFormDataAvailable(formData) || (isObject(formData) && isObject(schema.additionalProperties))) {
    return <button type="button" id={optionalControlsId(fieldPathId, "Remove")} onClick={() => onChange(undefined, fieldPathId.path)}>Leave out {name}</button>;
  }
  const include = () => {
    const made = schemaUtils.getDefaultFormState(schema, formData, "excludeObjectChildren") ?? (schema.type === "array" ? [] : {});
    if (isFormDataAvailable(made)) return onChange(made, fieldPathId.path);
    const [first = schema] = schema.anyOf ?? schema.oneOf ?? [];
    const names = Object.keys(schemaUtils.retrieveSchema(first).properties ?? {});
    return onChange(Object.fromEntries(names.map((each) => [each, undefined])), fieldPathId.path);
  };
  return <button type="button" id={optionalControlsId(fieldPathId, "Add")} onClick={include}>Include {name}</button>;
}

const MultiSchemaFieldTemplate = ({ selector, optionSchemaField }) => <div class="choice">{selector}{optionSchemaField}</div>;
const CyclicSchemaExpandTemplate = ({ name, fieldPathId, onExpand }) => (
  <button type="button" data-expand={fieldPathId.$id} onClick={onExpand}>Include {visible(name ?? "more")}</button>
);

/** Return what is left of a value for another schema, without the empty objects that the library adds. */
function given(left, value) {
  if (!isObject(left) || !isObject(value)) return value === undefined ? undefined : left;
  return Object.fromEntries(Object.keys(left).filter((key) => Object.hasOwn(value, key)).map((key) => [key, given(left[key], value[key])]));
}

/** A choice between schemas. It stays as the user made it: the library chooses again after every key, by what fits best so far. */
function KindField(props) {
  const { schemaUtils } = props.registry;
  const isChosen = useRef(false);
  const registry = useMemo(() => {
    const library = schemaUtils.library ?? schemaUtils; // of a choice around this one
    const getClosestMatchingOption = (value, options, selected, ...more) => {
      if (isChosen.current) return selected;
      isChosen.current = true;
      return library.getClosestMatchingOption(value, options, selected, ...more);
    };
    // the choice of a constant is the choice of its value
    const getDefaultFormState = (option, ...more) => (option.enum?.length === 1 ? option.enum[0] : library.getDefaultFormState(option, ...more));
    const sanitizeDataForNewSchema = (option, before, value) => given(library.sanitizeDataForNewSchema(option, before, value), value);
    const own = { library, getClosestMatchingOption, getDefaultFormState, sanitizeDataForNewSchema };
    return { ...props.registry, schemaUtils: Object.assign(Object.create(library), own) };
  }, [props.registry, schemaUtils]);
  return <LibraryChoice {...props} registry={registry} />;
}

function SelectWidget({ id: place, options, value, onChange, label }) {
  const choices = options.enumOptions ?? [];
  const id = useId(); // a choice inside a choice has the same place
  return (
    <>
      <label class="hidden" for={id}>Kind of {visible(label || "the value")}</label>
      <select id={id} data-place={place} data-kind="kind" value={String(value ?? 0)} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {choices.map((each) => <option key={each.value} value={String(each.value)}>{visible(each.label)}</option>)}
      </select>
    </>
  );
}

/** A required list or object is on the page, so that it is sent even if nothing was typed into it; the library shows no empty one. */
const evenIfEmpty = (Field, empty) => (props) => {
  const { required, formData, onChange, fieldPathId, childFieldPathId = fieldPathId } = props;
  // not in an effect: those of inner fields run first, and the outer one would overwrite what they sent
  if (required && formData === undefined) queueMicrotask(() => onChange(empty, childFieldPathId.path));
  const isEmpty = isObject(formData) && Object.keys(formData).length === 0;
  const shown = isEmpty ? Object.fromEntries(Object.keys(props.schema.properties ?? {}).map((name) => [name, undefined])) : formData;
  return <Field {...props} formData={shown} />;
};

const FIELDS = {
  ArrayField: evenIfEmpty(ArrayField, []), ObjectField: evenIfEmpty(ObjectField, {}), StringField: TextField, NumberField, BooleanField,
  FallbackField: JsonField, AnyOfField: KindField, OneOfField: KindField, OptionalDataControlsField,
};
const TEMPLATES = {
  FieldTemplate, DescriptionFieldTemplate, ObjectFieldTemplate, ArrayFieldTemplate, ArrayFieldItemTemplate, MultiSchemaFieldTemplate,
  CyclicSchemaExpandTemplate,
};
const UI = { "ui:enableOptionalDataFieldForType": [], "ui:submitButtonOptions": { norender: true }, "ui:globalOptions": { enableOptionalDataFieldForType: ["object", "array"], orderable: false } };
const DEFAULTS = {
  arrayMinItems: { populate: "never" }, emptyObjectFields: "skipDefaults", allOf: "skipDefaults", constAsDefaults: "never",
  requiredBooleanDefault: "skip",
};

/** The form of a request; `onFailure` is called for a schema that the library cannot show. */
export function RequestForm({ schema, value, onChange, onFailure }) {
  const id = useId();
  const { form, isJson } = formSchema(schema);
  if (isJson) {
    queueMicrotask(() => onFailure("No form can show this schema."));
    return null;
  }
  return (
    <Fallback onFailure={onFailure}>
      <Form schema={form} formData={value} uiSchema={UI} validator={formValidator} fields={FIELDS} templates={TEMPLATES} widgets={{ SelectWidget }}
        idPrefix={`f${id}`} idSeparator="/" tagName="div" noHtml5Validate noValidate experimental_defaultFormStateBehavior={DEFAULTS}
        onChange={(event) => onChange(event.formData ?? {})} />
    </Fallback>
  );
}

class Fallback extends Component {
  componentDidCatch(error) {
    this.setState({ failed: true });
    this.props.onFailure(`The form of this schema cannot be shown: ${error.message}`);
  }

  render() {
    return this.state.failed ? null : this.props.children;
  }
}
