-- The options of pushes: objects in the form of the API's field `push`. NULL: no options.

-- The options that a template states.
ALTER TABLE templates ADD COLUMN push json;

-- The options of the template and of the request, merged at acceptance.
ALTER TABLE notifications ADD COLUMN push json;
ALTER TABLE broadcasts ADD COLUMN push json;
