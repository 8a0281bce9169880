-- Owner: track

-- The Snowball stemmers of PostgreSQL by the language that they are for, in ISO 639-1. Those of version 15.
CREATE OR REPLACE FUNCTION stemmers() RETURNS TABLE (language text, stemmer regdictionary) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    VALUES
        ('ar', 'pg_catalog.arabic_stem'::regdictionary), ('ca', 'pg_catalog.catalan_stem'), ('da', 'pg_catalog.danish_stem'),
        ('de', 'pg_catalog.german_stem'), ('el', 'pg_catalog.greek_stem'), ('en', 'pg_catalog.english_stem'),
        ('es', 'pg_catalog.spanish_stem'), ('eu', 'pg_catalog.basque_stem'), ('fi', 'pg_catalog.finnish_stem'),
        ('fr', 'pg_catalog.french_stem'), ('ga', 'pg_catalog.irish_stem'), ('hi', 'pg_catalog.hindi_stem'),
        ('hu', 'pg_catalog.hungarian_stem'), ('hy', 'pg_catalog.armenian_stem'), ('id', 'pg_catalog.indonesian_stem'),
        ('it', 'pg_catalog.italian_stem'), ('lt', 'pg_catalog.lithuanian_stem'), ('nb', 'pg_catalog.norwegian_stem'),
        ('ne', 'pg_catalog.nepali_stem'), ('nl', 'pg_catalog.dutch_stem'), ('nn', 'pg_catalog.norwegian_stem'),
        ('no', 'pg_catalog.norwegian_stem'), ('pt', 'pg_catalog.portuguese_stem'), ('ro', 'pg_catalog.romanian_stem'),
        ('ru', 'pg_catalog.russian_stem'), ('sr', 'pg_catalog.serbian_stem'), ('sv', 'pg_catalog.swedish_stem'),
        ('ta', 'pg_catalog.tamil_stem'), ('tr', 'pg_catalog.turkish_stem'), ('yi', 'pg_catalog.yiddish_stem')
$$;
