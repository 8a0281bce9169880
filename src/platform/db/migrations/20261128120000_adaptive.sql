ALTER TYPE variant_type ADD VALUE 'adaptive' AFTER 'preview';
